"""The public data of papers, which the core finds through the entry point `whybench.data`."""

from __future__ import annotations

from whybench.datasets import SOURCES as CORE
from whybench.datasets import Source

SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source(
            package=__name__,
            name="dettki2025",
            folder="causAIign",
            title="Prompts and replies of some thirty language models, asked as people were",
            address=CORE["causAIign"].address,
            licence=CORE["causAIign"].licence,
            citation="H. M. Dettki, causAIign (GitHub, 2025)",
        ),
        Source(
            package=__name__,
            name="CausalPitfalls",
            title="75 data sets with a trap in them, their questions, keys and rubrics",
            address=(
                "https://raw.githubusercontent.com/dudududuu/CausalPitfalls/"
                "81a4015789aaf93ca2e5fa56496f56dd21fc39c8/"
            ),
            licence="MIT",
            citation=(
                "J. Du, L. Chen, X. Xian, A. Luo, F. Tian, G. Wang, C. Doss, X. Shen and J. Ding, "
                "Ice Cream Doesn't Cause Drowning: Benchmarking LLMs Against Statistical Pitfalls "
                "in Causal Inference, arXiv:2505.13770 (2025)"
            ),
        ),
        Source(
            package=__name__,
            name="CausalLink",
            title="The prompts of an interactive evaluation by acting on shapes",
            address=(
                "https://raw.githubusercontent.com/JinyueF/CausalLink/"
                "ac290df37f2889785029f364ccf63076304f1a7f/"
            ),
            licence="MIT, as its paper states",
            citation=(
                "J. Feng and F. Rudzicz, CausalLink: An Interactive Evaluation Framework for "
                "Causal Reasoning, Findings of ACL (2025)"
            ),
        ),
        Source(
            package=__name__,
            name="rlcausal",
            title="Test files of RLCausal: distributions asked of stated worlds, with keys",
            address=(
                "https://raw.githubusercontent.com/zhichul/rlcausal/"
                "d9d613246e3b3b4f459870f476703af9b4b0426a/"
            ),
            licence="MIT",
            citation=(
                "B. Lu, H. Zhao, S. Sun, H. Peng, R. Ding and H. Mei, Generalization of RLVR Using "
                "Causal Reasoning as a Testbed, arXiv:2512.20760 (2025)"
            ),
        ),
        Source(
            package=__name__,
            name="cladder",
            title="Test files of CLadder: yes or no on three rungs, with keys",
            address=(
                "https://raw.githubusercontent.com/causalNLP/cladder/"
                "3d2d1169b4b939a09048a6a75956c8972a93cc38/"
            ),
            licence="MIT",
            citation=(
                "Z. Jin, Y. Chen, F. Leeb, L. Gresele, O. Kamal, Z. Lyu, K. Blin, F. Gonzalez, "
                "M. Kleiman-Weiner, M. Sachan and B. Schölkopf, CLadder: Assessing Causal "
                "Reasoning in Language Models, NeurIPS (2023)"
            ),
        ),
    )
}
"""The sources of this package."""

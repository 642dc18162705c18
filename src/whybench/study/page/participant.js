"use strict";
// Who takes part, and which place in the counterbalancing they have.

whybench.PROLIFIC = ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"];

whybench.below = (count, random = Math.random) => Math.floor(random() * count);

// Where a slider starts: any of the 101 places, each as likely as the others.
whybench.sliderStart = (random = Math.random) => whybench.below(101, random);

whybench.asked = () => ({
  ...Object.fromEntries(new URLSearchParams(location.search)),
  ...(typeof jatos === "undefined" ? {} : jatos.urlQueryParameters),
});

whybench.participant = (study, asked) => {
  if (asked.participant) return { id: asked.participant, given: true };
  if (asked.PROLIFIC_PID) return { id: asked.PROLIFIC_PID, given: true };
  if (study.save.how === "jatos") return { id: `worker-${jatos.workerId}`, given: true };
  const remembered = whybench.read(`whybench/${study.id}`);
  const id = remembered ?? `anonymous-${whybench.randomId()}`;
  whybench.write(`whybench/${study.id}`, id);
  return { id, given: false };
};

// The place in the counterbalancing, and who said so.
whybench.number = async (study, asked, participant, rows) => {
  if (rows.all.length) return { number: rows.all[0].number, by: "before" };
  if (asked.number !== undefined) {
    if (!/^\d{1,9}$/.test(asked.number))
      throw new Error(`number must be a whole number from 0, got ${asked.number}`);
    return { number: Number(asked.number), by: "address" };
  }
  if (/^\d{1,9}$/.test(asked.participant)) return { number: Number(participant), by: "address" };
  if (study.save.how === "serve") {
    const reply = await fetch(`number?participant=${encodeURIComponent(participant)}`);
    if (!reply.ok) throw new Error(`the server must give a number, got ${reply.status}`);
    return { number: (await reply.json()).number, by: "server" };
  }
  if (study.save.how === "jatos")
    return { number: Number(jatos.studyResultId) % study.cycle, by: "jatos" };
  return { number: whybench.below(study.cycle), by: "chance" };
};

// The list of a participant, and its items in their order.
whybench.assigned = (study, number) => {
  const list = study.lists[number % study.lists.length];
  const orders = study.orders[list.items.length];
  const order = orders[Math.floor(number / study.lists.length) % orders.length];
  return { lesson: list.lesson, items: order.map((place) => list.items[place]) };
};

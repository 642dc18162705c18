"use strict";
// A hidden circuit that is acted on, and the page on which that is done.

// The state after an action: which entities go. What goes is driven by something that goes, or
// goes by itself. An action switches an entity's own going on or off; then everything rests but
// what goes by itself, and going spreads along the edges until nothing changes.
whybench.after = (edges, state, action, entity) => {
  const driven = new Set(edges.filter(([cause]) => state.has(cause)).map(([, effect]) => effect));
  const going = new Set([...state].filter((one) => !driven.has(one)));
  if (action === "move" && !driven.has(entity)) going.add(entity);
  if (action === "hold") going.delete(entity);
  for (let before = -1; before !== going.size; ) {
    before = going.size;
    for (const [cause, effect] of edges) if (going.has(cause)) going.add(effect);
  }
  return going;
};

whybench.Episode = whybench.plugin("whybench-episode", (page, show) => {
  const { element } = whybench;
  const { names, verbs, states, edges, moving, limit } = page.circuit;
  const replies = [];
  let state = new Set(moving);
  let left = limit;
  let step = 0;

  const pictures = STUDY.pictures ? whybench.drawAll(names) : null;
  const marks = names.map(() => element("span", { class: "state" }));
  const news = element("p", { class: "news", role: "status" }, "");
  const count = element("p", { class: "left" });
  const buttons = names.map((name, entity) =>
    ["move", "hold"].map((action, k) =>
      element(
        "button",
        {
          type: "button",
          class: "quiet",
          "aria-label": `${verbs[k]} ${name}`,
          onclick: () => act(action, entity, verbs[k]),
        },
        verbs[k],
      ),
    ),
  );

  // What was done and seen stays in view, step by step: nobody has to keep it in mind.
  const steps = element("tbody");
  const history = element(
    "table",
    { class: "history" },
    element("caption", {}, "What you did and saw so far"),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...["Step", "What you did", "What you saw"].map((title) =>
          element("th", { scope: "col" }, title),
        ),
      ),
    ),
    steps,
  );
  const seen = () => {
    const going = names.filter((_, k) => state.has(k));
    if (!going.length) return `all ${states[1]}`;
    return going.length === names.length ? `all ${states[0]}` : `${states[0]}: ${going.join(", ")}`;
  };
  const note = (done, saw) =>
    steps.append(
      element(
        "tr",
        {},
        element("th", { scope: "row" }, String(step)),
        element("td", {}, done),
        element("td", {}, saw),
      ),
    );

  const draw = (changed) => {
    names.forEach((_, entity) => {
      marks[entity].textContent = states[state.has(entity) ? 0 : 1];
      marks[entity].classList.toggle("going", state.has(entity));
      marks[entity].parentElement?.classList.toggle("going", state.has(entity));
      marks[entity].parentElement?.classList.toggle("changed", changed.includes(entity));
    });
    count.textContent = `You may act ${left} more ${left === 1 ? "time" : "times"}.`;
    if (!left) {
      count.textContent = "No actions are left: please answer.";
      buttons.flat().forEach((button) => (button.disabled = true));
    }
  };

  const act = (action, entity, verb) => {
    const next = whybench.after(edges, state, action, entity);
    const changed = names.map((_, k) => k).filter((k) => state.has(k) !== next.has(k));
    state = next;
    left -= 1;
    step += 1;
    replies.push(JSON.stringify({ entity: names[entity], action: verb }));
    const told = changed.map((k) => `${names[k]} is now ${states[state.has(k) ? 0 : 1]}`);
    news.textContent = `${verb} ${names[entity]}: ${told.join(", ") || "nothing changed"}.`;
    note(`${verb} ${names[entity]}`, changed.length ? seen() : `nothing changed (${seen()})`);
    draw(changed);
    // The button that was pressed can no longer be: who uses keys goes on with the answer.
    if (!left) document.querySelector("input[name=choice]").focus();
  };

  const finish = show(
    ...whybench.opening(page),
    element(
      "ul",
      { class: "circuit" },
      ...names.map((name, k) =>
        element(
          "li",
          {},
          element(
            "span",
            { class: "name" },
            pictures ? element("span", { class: "picture", html: pictures[k] }) : null,
            name,
          ),
          marks[k],
          ...buttons[k],
        ),
      ),
    ),
    news,
    count,
    history,
    whybench.form(
      "Give this answer",
      (form) => form.elements.choice.value !== "",
      (form) => {
        const answer = ["yes", "no"][Number(form.elements.choice.value)];
        finish({ reply: [...replies, JSON.stringify({ answer })] });
      },
      whybench.options("choice", ["Yes", "No"], "asked"),
    ),
  );
  note("nothing yet", seen());
  draw([]);
});

"use strict";
// The pages of the experiment, each a plugin of jsPsych.

whybench.element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "html") made.innerHTML = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
};

// Shows a page and returns a function that ends it, once, with the time it took.
whybench.show = (jsPsych, display, page, ...children) => {
  const { element } = whybench;
  const marks = { class: "page", "data-kind": page.kind, "data-item": page.id ?? null };
  display.replaceChildren(element("div", marks, ...children));
  document.getElementById("study").tabIndex = -1;
  window.scrollTo(0, 0);
  const heading = display.querySelector("h1");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  const start = performance.now();
  let over = false;
  return (data) => {
    if (over) return;
    over = true;
    jsPsych.finishTrial({ seconds: Math.round(performance.now() - start) / 1000, ...data });
  };
};

whybench.progress = (page) => {
  const { element } = whybench;
  if (!page.progress) return null;
  const [done, all] = page.progress;
  return element("progress", { max: all, value: done, "aria-label": "How far you are" });
};

// The lesson, to be read again.
whybench.lesson = (page) => {
  const { element } = whybench;
  return element(
    "details",
    { class: "lesson", open: page.unfolded },
    element("summary", {}, page.unfolded ? "What you have read" : "Read the text again"),
    element("div", { html: page.lesson }),
  );
};

// The heading of an item's page, the lesson if it is folded, and what holds in this case. A lesson
// that stands open is below the answer: nobody has to go past it for each question.
whybench.opening = (page) => {
  const { element } = whybench;
  return [
    whybench.progress(page),
    element("h1", {}, page.title),
    page.lesson && !page.unfolded ? whybench.lesson(page) : null,
    element("div", { class: "case", html: page.html }),
    element("h2", { id: "asked" }, page.question),
  ];
};

// Options of which one is to be chosen.
whybench.options = (name, options, labelledBy) => {
  const { element } = whybench;
  return element(
    "div",
    { class: "options", role: "radiogroup", "aria-labelledby": labelledBy },
    ...options.map((label, place) =>
      element(
        "label",
        {},
        element("input", { type: "radio", name, value: String(place), required: true }),
        element("span", {}, label),
      ),
    ),
  );
};

// A form that can be sent when it is complete, and not before.
whybench.form = (label, complete, submit, ...children) => {
  const { element } = whybench;
  const button = element("button", { type: "submit", disabled: true }, label);
  const form = element("form", { autocomplete: "off" }, ...children, button);
  form.addEventListener("input", () => (button.disabled = !complete(form)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (complete(form)) submit(form);
  });
  return form;
};

whybench.plugin = (name, trial) => {
  const { ParameterType } = jsPsychModule;
  return class {
    static info = {
      name,
      version: STUDY.whybench,
      parameters: { page: { type: ParameterType.OBJECT, default: {} } },
      data: {},
    };

    constructor(jsPsych) {
      this.jsPsych = jsPsych;
    }

    trial(display, { page }) {
      const below = page.lesson && page.unfolded ? whybench.lesson(page) : null;
      trial(page, (...children) => whybench.show(this.jsPsych, display, page, ...children, below));
    }
  };
};

// A text to read, with one button or more; which of them was pressed is in `pressed`.
whybench.Reading = whybench.plugin("whybench-reading", (page, show) => {
  const { element } = whybench;
  const body = element("div", { class: "text", html: page.html });
  const title = body.querySelector("h1") ?? element("h1", {}, page.title);
  const finish = show(
    title,
    page.notice ? element("p", { class: "notice", role: "status" }, page.notice) : null,
    body,
    element(
      "div",
      { class: "buttons" },
      ...page.buttons.map((label, pressed) =>
        element(
          "button",
          { type: "button", class: pressed ? "quiet" : "", onclick: () => finish({ pressed }) },
          label,
        ),
      ),
    ),
  );
});

// Questions on what was read.
whybench.Comprehension = whybench.plugin("whybench-comprehension", (page, show) => {
  const { element } = whybench;
  const chosen = (form) => page.quizzes.map((_, k) => form.elements[`quiz-${k}`].value);
  const finish = show(
    element("h1", {}, "A few questions on what you have read"),
    whybench.form(
      "Continue",
      (form) => chosen(form).every((value) => value !== ""),
      (form) => {
        const response = chosen(form).map(Number);
        const correct = page.quizzes.every((quiz, k) => quiz.right === response[k]);
        finish({ attempts: page.attempts, correct, response: response.join(" ") });
      },
      ...page.quizzes.map((quiz, k) =>
        element(
          "fieldset",
          {},
          element("legend", { id: `quiz-${k}` }, quiz.question),
          whybench.options(`quiz-${k}`, quiz.options, `quiz-${k}`),
        ),
      ),
    ),
  );
});

// A slider that must be moved. Where it starts is drawn by chance and recorded.
whybench.Rating = whybench.plugin("whybench-rating", (page, show) => {
  const { element } = whybench;
  const start = whybench.sliderStart();
  const slider = element("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 1,
    value: start,
    class: "untouched",
    "aria-labelledby": "asked",
    "aria-describedby": "ends",
  });
  const said = element("output", { role: "status" }, "Move the slider to answer.");
  let moved = false;
  slider.addEventListener("input", () => {
    moved = true;
    slider.classList.remove("untouched");
    said.textContent = slider.value;
  });
  const finish = show(
    ...whybench.opening(page),
    whybench.form(
      "Continue",
      () => moved,
      () => finish({ reply: slider.value, slider_start: start }),
      slider,
      element(
        "div",
        { class: "ends", id: "ends" },
        element("span", {}, `0 ${page.ends[0]}`),
        element("span", {}, `100 ${page.ends[1]}`),
      ),
      said,
    ),
  );
});

// One of some options.
whybench.Choice = whybench.plugin("whybench-choice", (page, show) => {
  const finish = show(
    ...whybench.opening(page),
    whybench.form(
      "Continue",
      (form) => form.elements.choice.value !== "",
      (form) => finish({ reply: page.options[Number(form.elements.choice.value)][1] }),
      whybench.options("choice", page.options.map(([label]) => label), "asked"),
    ),
  );
});

// A number in percent that is typed in, or one of some options in its place.
whybench.Percentage = whybench.plugin("whybench-percentage", (page, show) => {
  const { element } = whybench;
  const number = element("input", {
    type: "number",
    name: "number",
    min: -100,
    max: 100,
    step: "any",
    "aria-labelledby": "asked",
    "aria-describedby": "unit",
  });
  const boxes = page.options.map(([, reply]) =>
    element("input", { type: "checkbox", name: "instead", value: reply }),
  );
  const said = () => boxes.find((box) => box.checked)?.value;
  const finish = show(
    ...whybench.opening(page),
    whybench.form(
      "Continue",
      () => Boolean(said()) || (number.value !== "" && number.validity.valid),
      // Digits as everybody writes them, whatever was typed: 1e1 is 10.
      () => finish({ reply: said() ?? `${Number(Number(number.value).toFixed(6))}%` }),
      element("p", { class: "percentage" }, number, element("span", { id: "unit" }, "percent or percentage points")),
      element(
        "div",
        { class: "options" },
        ...boxes.map((box, place) =>
          element("label", {}, box, element("span", {}, page.options[place][0])),
        ),
      ),
    ),
  );
  for (const box of boxes)
    box.addEventListener("input", () => {
      for (const other of boxes) if (other !== box) other.checked = false;
      number.disabled = box.checked;
    });
});

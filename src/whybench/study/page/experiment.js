"use strict";
// The course of the experiment: consent, instructions, lesson and check, items, the end.

// How a participation ended.
const COMPLETE = "complete";
const CHECK_FAILED = "check failed";

(async () => {
  const study = STUDY;
  const { element } = whybench;
  const main = document.getElementById("study");
  const footer = document.getElementById("footer");
  const say = (kind, ...children) => {
    document
      .querySelector("#jspsych-content, #study")
      .replaceChildren(element("div", { class: "page", "data-kind": kind }, ...children));
    const heading = main.querySelector("h1");
    heading.tabIndex = -1;
    heading.focus();
  };

  if (study.save.how === "jatos") await new Promise((loaded) => jatos.onLoad(loaded));
  const asked = whybench.asked();
  const who = whybench.participant(study, asked);
  const rows = new whybench.Rows(study, who.id);
  let place;
  try {
    place = await whybench.number(study, asked, who.id, rows);
  } catch (error) {
    say(
      "trouble",
      element("h1", {}, "This study cannot start"),
      element("p", {}, String(error.message)),
    );
    return;
  }
  const { lesson, items } = whybench.assigned(study, place.number);

  const add = (row) =>
    rows.add({
      kind: row.kind,
      study: study.id,
      suite: study.suite,
      version: study.version,
      design_hash: study.design_hash,
      participant: who.id,
      number: place.number,
      at: new Date().toISOString(),
      seconds: null,
      ...row,
    });

  const finished = async () => {
    footer.hidden = true;
    await rows.send();
    const saved = element("p", { role: "status" });
    const buttons = element("div", { class: "buttons" });
    const button = (label, onclick) =>
      buttons.append(element("button", { type: "button", class: "quiet", onclick }, label));
    const tell = () => {
      buttons.replaceChildren();
      if (study.save.how === "download") {
        saved.textContent = "Your answers are saved in the folder of your downloads.";
        button("Save them again", () => rows.download());
      } else if (rows.sent === rows.all.length) {
        saved.textContent = "All your answers have arrived.";
        // JATOS leaves the page at once, so it is the participant who says when all is read.
        if (study.save.how === "jatos") button("Finish", () => jatos.endStudy());
      } else {
        saved.textContent =
          `Your answers could not be sent (${rows.trouble}). They are kept in this browser. ` +
          "Please try again, or save them to a file and pass it on.";
        button("Try again", () => rows.send().then(tell));
        button("Save them to a file", () => rows.download());
      }
      if (!who.given)
        button("Start as another participant", () => {
          whybench.write(`whybench/${study.id}`, null);
          location.reload();
        });
    };
    const early = rows.has("end", (row) => row.outcome === CHECK_FAILED);
    const said = early ? study.texts.early_end : study.texts.debriefing;
    const text = element("div", { class: "text", html: said });
    say("end", text.querySelector("h1") ?? element("h1", {}, "The end"), text, saved, buttons);
    tell();
  };

  if (rows.has("end")) return finished();

  // Two tabs would write over each other's rows.
  window.addEventListener("storage", (event) => {
    if (event.key === rows.key)
      say(
        "trouble",
        element("h1", {}, "This study is open in another tab"),
        element("p", {}, "Please go on there, or close it and open this page again."),
      );
  });

  const resumed = rows.all.length > 0;
  const ids = Object.fromEntries(
    whybench.PROLIFIC.filter((key) => asked[key]).map((key) => [key, asked[key]]),
  );
  const start = {
    kind: "start",
    prolific: Object.keys(ids).length ? ids : null,
    number_by: place.by,
    width: window.innerWidth,
    height: window.innerHeight,
    agent: navigator.userAgent,
    resumed,
    ...(study.save.how === "jatos"
      ? { jatos: { worker: jatos.workerId, result: jatos.studyResultId } }
      : {}),
  };
  const begin = () => {
    add(start);
    footer.hidden = study.save.how !== "download";
  };
  if (resumed) begin();
  document.getElementById("keep").addEventListener("click", () => rows.download());

  // Whoever fails the check so often that the study ends is sent home kindly, and the rows say so.
  const attempts = () => rows.all.filter((row) => row.kind === "comprehension").length;
  const passed = () => rows.has("comprehension", (row) => row.correct);
  const failed = () => !passed() && study.attempts > 0 && attempts() >= study.attempts;

  const jsPsych = initJsPsych({
    display_element: main,
    on_data_update: (data) => {
      const { trial_type, trial_index, time_elapsed, plugin_version, ...given } = data;
      const { pressed, reply, right, ...row } = given;
      if (row.kind === "consent") {
        if (pressed) return jsPsych.abortExperiment();
        begin();
      }
      if (row.kind === "item") row.replies = [reply].flat();
      if (row.kind === "attention") {
        row.response = reply;
        row.correct = right.includes(reply);
      }
      if (row.kind) add(row);
      if (failed()) jsPsych.abortExperiment();
    },
  });

  const answered = items.filter(({ id }) => rows.has("item", (row) => row.item === id)).length;
  const timeline = [];
  const reading = (kind, html, buttons) => ({
    type: whybench.Reading,
    page: { kind, html, buttons },
    data: kind === "resumed" ? {} : { kind },
  });
  if (resumed)
    timeline.push(
      reading(
        "resumed",
        "<h1>Welcome back</h1><p>What you have done so far is kept: " +
          `${answered} of ${items.length} questions are answered. You go on where you stopped.</p>`,
        ["Continue"],
      ),
    );
  if (!rows.has("consent"))
    timeline.push(
      reading("consent", study.texts.consent, ["I agree and take part", "I do not take part"]),
    );
  if (!rows.has("instructions"))
    timeline.push(reading("instructions", study.texts.instructions, ["Continue"]));
  const notice = () => {
    if (!attempts()) return "";
    const again = "Some answers were wrong. Please read the text again.";
    return study.attempts - attempts() === 1 ? `${again} There is one more try.` : again;
  };
  if (!passed() && !failed())
    timeline.push({
      timeline: [
        {
          type: whybench.Reading,
          data: { kind: "learning" },
          page: () => ({
            kind: "learning",
            title: lesson.title,
            html: lesson.html,
            buttons: ["Continue to the questions on it"],
            notice: notice(),
          }),
        },
        {
          type: whybench.Comprehension,
          page: () => ({ kind: "comprehension", quizzes: lesson.quizzes, attempts: attempts() + 1 }),
          data: { kind: "comprehension" },
        },
      ],
      loop_function: () => !passed(),
    });

  const types = {
    rating: whybench.Rating,
    choice: whybench.Choice,
    number: whybench.Percentage,
    episode: whybench.Episode,
  };
  const common = {
    lesson: lesson.html,
    unfolded: study.unfolded,
    ends: study.ends,
    options: study.options,
  };
  items.forEach((item, order) => {
    if (!rows.has("item", (row) => row.item === item.id))
      timeline.push({
        type: types[item.response ?? study.response],
        page: () => ({
          ...common,
          ...item,
          kind: "item",
          title: `Question ${order + 1} of ${items.length}`,
          progress: [order, items.length],
        }),
        data: { kind: "item", item: item.id, order },
      });
    const check = study.attention.find(({ after }) => after === order + 1);
    if (check && !rows.has("attention", (row) => row.order === order))
      timeline.push({
        type: types[check.response],
        page: () => ({
          ...common,
          ...check,
          kind: "attention",
          lesson: "",
          ends: ["", ""],
          title: "A check in between",
          progress: [order + 1, items.length],
        }),
        data: { kind: "attention", order, right: check.right },
      });
  });

  if (!failed()) await jsPsych.run(timeline);
  if (!rows.has("consent"))
    return say(
      "declined",
      element("h1", {}, "You do not take part"),
      element("p", {}, "Nothing was recorded. You may close this page."),
    );
  add({ kind: "end", outcome: failed() ? CHECK_FAILED : COMPLETE });
  if (study.save.how === "download") rows.download();
  await finished();
})();

"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  // What cannot be seen is spelled out: marks that turn the direction of writing hide what is said.
  const showControls = (text) => String(text ?? "").replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (mark) => ("\n\r\t".includes(mark) ? mark
      : `[U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`),
  );
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = showControls(text);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const outcomeWords = (kind) => byId("by-kind").querySelector(`option[value="${kind}"]`).textContent;

  for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;

  // Light or dark: as the system says, until the reader says otherwise.
  const root = document.documentElement;
  const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
  const themeButton = byId("theme");
  const nameTheme = () => { themeButton.textContent = isDark() ? "Light mode" : "Dark mode"; };
  themeButton.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  systemDark.addEventListener("change", nameTheme);
  nameTheme();

  // A region is a stop for the keyboard only where there is something to scroll.
  const markScrolling = () => {
    for (const region of document.querySelectorAll(".scroll")) {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = region;
      if (scrollWidth > clientWidth || scrollHeight > clientHeight) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    }
  };
  window.addEventListener("resize", markScrolling);

  // Packed data: base64, then deflate. Each is unpacked once, when it is first needed.
  const unpackedTexts = new Map();
  const canUnpack = typeof DecompressionStream === "function";
  if (!canUnpack) byId("no-unpacking").hidden = false;
  const unpack = (id) => {
    if (!unpackedTexts.has(id)) {
      const bytes = Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      unpackedTexts.set(id, new Response(stream).text());
    }
    return unpackedTexts.get(id);
  };
  const unpackJson = async (id) => JSON.parse(await unpack(id));

  const save = (text, file) => {
    const link = make("a", "", { download: file });
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };
  const csvCell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csvOf = (columns, rows) =>
    [columns, ...rows].map((row) => row.map(csvCell).join(",")).join("\n") + "\n";

  const isNumber = (text) => text !== "" && text !== null && Number.isFinite(Number(text));
  const shortNumber = (text) => {
    if (!isNumber(text) || !/[.e]/.test(String(text))) return String(text);
    return String(Number(Number(text).toPrecision(4)));
  };

  // The tables behind figures, made when they are opened.
  if (canUnpack) {
    for (const details of document.querySelectorAll("details.behind")) {
      details.addEventListener("toggle", async () => {
        const place = details.querySelector(".scroll");
        if (!details.open || place.firstChild) return;
        const found = (await unpackJson("tables-data"))[details.dataset.table];
        const table = make("table");
        const caption = make("caption", details.querySelector("summary").textContent);
        const head = make("tr");
        const shown = found.columns.map((name) => name !== "design_hash");
        found.columns.forEach((name, place) => {
          if (shown[place]) head.append(make("th", name.replaceAll("_", " "), { scope: "col" }));
        });
        const thead = make("thead");
        thead.append(head);
        const body = make("tbody");
        for (const row of found.rows) {
          const line = make("tr");
          row.forEach((value, place) => {
            if (shown[place]) line.append(make("td", shortNumber(value)));
          });
          body.append(line);
        }
        table.append(caption, thead, body);
        place.append(table);
        markScrolling();
      });
    }
    for (const button of document.querySelectorAll("button.download")) {
      button.addEventListener("click", async () => {
        const { pack, table, file } = button.dataset;
        if (pack) save(await unpack(pack), file);
        else {
          const found = (await unpackJson("tables-data"))[table];
          save(csvOf(found.columns, found.rows), file);
        }
      });
    }
  }

  // The agent that panels speak of.
  const focus = byId("focus");
  const showFocus = () => {
    const chosen = focus ? focus.value : "0";
    for (const element of document.querySelectorAll("#profile [data-agent]")) {
      const mine = element.dataset.agent === chosen;
      if (element.tagName !== "g") element.hidden = !mine;
      else {
        element.classList.toggle("focus", mine && focus !== null);
        if (element.classList.contains("color-one")) element.toggleAttribute("hidden", !mine);
      }
    }
  };
  if (focus) focus.addEventListener("change", showFocus);
  showFocus();

  // One condition of a suite at a time, in its panel and in its table.
  for (const select of document.querySelectorAll(".condition-switch")) {
    select.addEventListener("change", () => {
      const { suite } = select.dataset;
      const places = `.panel-card[data-suite="${suite}"] .condition-block, .condition-block[data-suite="${suite}"]`;
      const blocks = [...document.querySelectorAll(places)];
      for (const group of [blocks.filter((b) => b.dataset.suite), blocks.filter((b) => !b.dataset.suite)]) {
        // A panel has the conditions of the reader's own agents alone.
        if (!group.some((block) => block.dataset.condition === select.value)) continue;
        for (const block of group) block.hidden = block.dataset.condition !== select.value;
      }
      markScrolling();
    });
  }

  // Tables are sorted by the buttons in their heads.
  const sortKey = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim().replace("\u2212", "-");
    const number = Number.parseFloat(text);
    return Number.isFinite(number) ? number : text.toLowerCase();
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button", head.textContent, { type: "button" });
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row, column), row]);
        const compare = ([one], [two]) => {
          if (one === "" || two === "") return (one === "") - (two === "");  // no value: last
          const order = typeof one === typeof two && typeof one === "number"
            ? one - two : String(one).localeCompare(String(two));
          return down ? -order : order;
        };
        table.tBodies[0].append(...rows.sort(compare).map(([, row]) => row));
      });
    });
  }

  // Charts are drawn when they come into sight, by a script that is unpacked with the first. The
  // page's policy knows its hash.
  let drawing;
  const loadDrawing = () => {
    drawing ??= unpack("drawing-data").then((text) => new Promise((resolve) => {
      const script = make("script", undefined, { type: "module" });
      script.textContent = text;
      document.head.append(script);
      const wait = () => (window.vegaEmbed ? resolve(window.vegaEmbed) : setTimeout(wait, 20));
      wait();
    }));
    return drawing;
  };
  const LABELS = 170, NARROWEST = 150;
  const fit = (spec, room) => {
    const fitted = structuredClone(spec);
    if (fitted.spec) {
      const most = fitted.usermeta?.columns ?? fitted.columns ?? 1;
      const columns = Math.max(1, Math.min(most, Math.floor((room - LABELS) / NARROWEST)));
      fitted.columns = columns;
      // Panels below each other have an axis each, as the last one may be out of sight.
      if (columns < most) fitted.resolve = { ...fitted.resolve, axis: { ...fitted.resolve?.axis, x: "independent" } };
      fitted.spec.width = Math.max(110, Math.floor((room - LABELS) / columns) - 24);
    } else {
      fitted.width = "container";
      fitted.autosize = { type: "fit-x", contains: "padding" };
    }
    return fitted;
  };
  const drawChart = async (place) => {
    const { specs, themes } = await unpackJson("charts-data");
    const embed = await loadDrawing();
    const spec = specs[place.dataset.chart];
    const room = place.clientWidth;
    if (!room) return;
    place.dataset.drawn = `${room} ${isDark()}`;
    const inner = make("div", undefined, { style: "width:100%" });
    place.replaceChildren(inner);
    const options = { ast: true, actions: false, renderer: "svg", config: themes[isDark() ? "dark" : "light"] };
    const result = await embed(inner, fit(spec, room), options);
    // Names that are longer than was thought: once more with what they leave.
    const svg = inner.querySelector("svg");
    const over = svg ? svg.getBoundingClientRect().width - room : 0;
    if (over > 1 && spec.spec) {
      const again = fit(spec, room);
      again.spec.width = Math.max(60, again.spec.width - Math.ceil(over / again.columns));
      result.finalize();
      await embed(inner, again, options);
    }
    if (spec.usermeta?.note) place.append(make("p", spec.usermeta.note, { class: "note-below" }));
  };
  const charts = [...document.querySelectorAll(".chart")];
  if (canUnpack && charts.length) {
    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting && target.dataset.drawn !== `${target.clientWidth} ${isDark()}`) drawChart(target);
      }
    }, { rootMargin: "400px" });
    for (const chart of charts) seen.observe(chart);
    const again = () => { for (const chart of charts) { seen.unobserve(chart); seen.observe(chart); } };
    let waiting;
    window.addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(again, 200); });
    themeButton.addEventListener("click", again);
    systemDark.addEventListener("change", again);
  }

  // All measures.
  const openMeasures = (blocks) => {
    // A row has labels, the measure's name, the levels it is restricted to, and then its numbers.
    const measures = [];
    const labelsOf = new Map();
    const levelsOf = new Map();
    for (const block of blocks) {
      const [named, numbers] = ["measure", "estimate"].map((name) => block.columns.indexOf(name));
      for (const values of block.rows) {
        const row = Object.fromEntries(values.map((value, place) => [block.columns[place], value]));
        measures.push(row);
        labelsOf.set(row, block.columns.slice(0, named));
        levelsOf.set(row, block.columns.slice(named + 1, numbers));
      }
    }
    const FIRST_SHOWN = 40;
    const NUMBERS = ["estimate", "low", "high", "n", "units", "scored", "no_answer", "error"];
    const columns = [...new Set(measures.flatMap((row) => Object.keys(row)))];
    // Labels that differ within a suite make up the condition; hashes are for machines.
    const telling = new Map();
    for (const suite of new Set(measures.map((row) => row.suite))) {
      const rows = measures.filter((row) => row.suite === suite);
      const labels = [...new Set(rows.flatMap((row) => labelsOf.get(row)))];
      telling.set(suite, labels.filter((name) =>
        !["suite", "agent", "design_hash"].includes(name)
        && (name === "design" || new Set(rows.map((row) => row[name])).size > 1)));
    }
    const conditionOf = (row) =>
      telling.get(row.suite).filter((name) => row[name] !== undefined).map((name) => `${name} ${row[name]}`).join(", ");
    const titleOf = (row) => {
      const levels = levelsOf.get(row).map((name) => `${name} ${row[name]}`).join(", ");
      return levels ? `${row.measure} (${levels})` : row.measure;
    };
    const shownColumns = ["suite", "agent", "measure", ...NUMBERS, "condition", "flags", "method"];
    const measuresBody = byId("measures-table").tBodies[0];
    const headRow = make("tr");
    for (const name of shownColumns) headRow.append(make("th", name.replaceAll("_", " "), { scope: "col" }));
    byId("measures-table").tHead.append(headRow);
    for (const name of telling.keys()) byId("measures-suite").append(make("option", name));
    const haystacks = measures.map((row) => [titleOf(row), ...Object.values(row)].join(" ").toLowerCase());
    const showMeasures = (all = false) => {
      const words = byId("measures-words").value.toLowerCase().split(/\s+/).filter(Boolean);
      const suite = byId("measures-suite").value;
      const levels = byId("measures-levels").checked;
      const chosen = measures.filter((row, place) =>
        (!suite || row.suite === suite)
        && (levels || !levelsOf.get(row).length)
        && words.every((word) => haystacks[place].includes(word)));
      const shown = all ? chosen : chosen.slice(0, FIRST_SHOWN);
      measuresBody.replaceChildren(...shown.map((row) => {
        const line = make("tr");
        for (const name of shownColumns) {
          const value = name === "condition" ? conditionOf(row) : row[name] ?? "";
          const cell = name === "measure"
            ? make("th", titleOf(row), { scope: "row" })
            : make("td", typeof value === "number" ? shortNumber(value) : value);
          cell.className = NUMBERS.includes(name) ? "number" : `cell-${name}`;
          line.append(cell);
        }
        return line;
      }));
      byId("measures-count").textContent = `${shown.length} of ${chosen.length} matching measures, ${measures.length} in total`;
      byId("measures-more").hidden = shown.length === chosen.length;
    };
    for (const id of ["measures-words", "measures-suite", "measures-levels"]) {
      byId(id).addEventListener("input", () => showMeasures());
    }
    byId("measures-more").addEventListener("click", () => showMeasures(true));
    byId("measures-download").addEventListener("click", () =>
      save(csvOf(columns, measures.map((row) => columns.map((name) => row[name]))), "measures.csv"));
    showMeasures();
    markScrolling();
  };
  if (canUnpack) unpackJson("measures-data").then(openMeasures);

  // The item browser: a list and the answer chosen in it.
  const openBrowser = (data) => {
    const [AGENT, SUITE, ITEM, EPOCH, KIND, REASON, VALUE, TRUTH, CELLS, TURNS] = Array(10).keys();
    const list = byId("answers-list");
    const answer = byId("answer");
    const filters = { agent: byId("by-agent"), suite: byId("by-suite"), kind: byId("by-kind") };
    const fill = (select, names) => {
      select.append(make("option", "all", { value: "" }));
      names.forEach((name, place) => select.append(make("option", name, { value: place })));
    };
    fill(filters.agent, data.agents);
    fill(filters.suite, data.suites);
    const LISTED = 400;
    let chosen = [];
    let current = -1;

    // Names of items end in a hash, which is for machines.
    const nameOf = (entry) => entry[ITEM].replace(/-[0-9a-f]{12,}$/, "");
    const definition = (place, name, value) => place.append(make("dt", name), make("dd", value));
    const showAnswer = (entry) => {
      const verdict = make("dl");
      definition(verdict, "outcome", outcomeWords(entry[KIND]));
      if (entry[REASON]) definition(verdict, "reason", entry[REASON]);
      definition(verdict, "read as", entry[VALUE] === null ? "–" : entry[VALUE]);
      definition(verdict, "truth", entry[TRUTH] === null ? "–" : entry[TRUTH]);
      definition(verdict, "epoch", entry[EPOCH]);
      const cells = make("dl");
      for (const [column, value] of entry[CELLS]) definition(cells, data.columns[column].replaceAll("_", " "), value);
      const factors = make("details");
      factors.append(make("summary", "Factors of the design and parts of the answer"), cells);
      const turns = entry[TURNS].map(([role, text]) => {
        const turn = make("div", undefined, { class: `turn ${role}` });
        turn.append(make("h4", role), make("pre", data.texts[text] || "(nothing)"));
        return turn;
      });
      if (!turns.length) turns.push(make("p", "No conversation: these records came without logs.", { class: "hint" }));
      answer.replaceChildren(
        make("h3", nameOf(entry)),
        make("p", `${data.agents[entry[AGENT]]}, ${data.suites[entry[SUITE]]}`),
        verdict, factors, ...turns,
      );
      answer.scrollTop = 0;
    };
    const choose = (place, scroll = true) => {
      const options = list.children;
      if (!options.length) return;
      if (current >= 0 && options[current]) options[current].setAttribute("aria-selected", "false");
      current = Math.max(0, Math.min(options.length - 1, place));
      options[current].setAttribute("aria-selected", "true");
      list.setAttribute("aria-activedescendant", options[current].id);
      if (scroll) {
        const option = options[current];
        const above = option.offsetTop - list.offsetTop;
        if (above < list.scrollTop) list.scrollTop = above;
        const below = above + option.offsetHeight - list.clientHeight;
        if (below > list.scrollTop) list.scrollTop = below;
      }
      showAnswer(chosen[current]);
    };
    const showList = () => {
      chosen = data.entries.filter((entry) =>
        (filters.agent.value === "" || entry[AGENT] === Number(filters.agent.value))
        && (filters.suite.value === "" || entry[SUITE] === Number(filters.suite.value))
        && (filters.kind.value === "" || entry[KIND] === filters.kind.value));
      current = -1;
      const listed = chosen.slice(0, LISTED);
      list.replaceChildren(...listed.map((entry, place) => {
        const option = make("li", undefined, { role: "option", id: `answer-${place}`, "aria-selected": "false" });
        option.append(
          make("span", outcomeWords(entry[KIND]), { class: `kind ${entry[KIND]}` }),
          document.createTextNode(` ${showControls(nameOf(entry))}${entry[EPOCH] > 1 ? `, epoch ${entry[EPOCH]}` : ""} `),
          make("span", `${data.agents[entry[AGENT]]}${entry[REASON] ? `, ${entry[REASON]}` : ""}`, { class: "condition" }),
        );
        return option;
      }));
      list.removeAttribute("aria-activedescendant");
      const more = chosen.length > LISTED ? `, the first ${LISTED} listed. Choose an agent or a suite to see others.` : "";
      byId("answers-count").textContent = `${chosen.length} answers${more}`;
      if (chosen.length) choose(0, false);
      else answer.replaceChildren(make("p", "No matching answers."));
      list.scrollTop = 0;
    };
    list.addEventListener("click", (event) => {
      const option = event.target.closest("li");
      if (option) choose([...list.children].indexOf(option));
    });
    list.addEventListener("keydown", (event) => {
      const moves = {
        ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + 10, PageUp: current - 10,
        Home: 0, End: list.children.length - 1,
      };
      if (event.key in moves) {
        event.preventDefault();
        choose(moves[event.key]);
      } else if (event.key === "Enter") {
        event.preventDefault();
        answer.focus();
      }
    });
    for (const select of Object.values(filters)) select.addEventListener("change", showList);
    showList();
    // A sentence leads to an answer that shows what it says.
    for (const link of document.querySelectorAll(".to-answer")) {
      link.addEventListener("click", () => {
        const { suite, agentName, item, epoch } = link.dataset;
        filters.agent.value = data.agents.indexOf(agentName);
        filters.suite.value = data.suites.indexOf(suite);
        filters.kind.value = "";
        showList();
        choose(chosen.findIndex((entry) => entry[ITEM] === item && String(entry[EPOCH]) === epoch));
      });
    }
  };
  if (canUnpack) {
    unpackJson("answers-data").then(openBrowser).catch((problem) => {
      byId("answers-count").textContent = `The answers cannot be unpacked: ${problem.message}`;
    });
  }
})();

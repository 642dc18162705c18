"use strict";
// What a participant has done, row by row. A row is kept in the browser before anything else
// happens, so that a closed tab loses nothing; then it is sent to where the study says.

const whybench = {};

whybench.randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

whybench.lines = (rows) => rows.map((row) => JSON.stringify(row) + "\n").join("");

// How rows leave the browser. `whole` ones are sent once, at the end, all in one.
whybench.ways = {
  download: { send: null },
  serve: {
    send: async (rows) => {
      const reply = await fetch("data", {
        method: "POST",
        headers: { "Content-Type": "application/x-ndjson" },
        body: whybench.lines(rows),
        keepalive: true,
      });
      if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
    },
  },
  jatos: { send: (rows) => jatos.appendResultData(whybench.lines(rows)) },
  datapipe: {
    whole: true,
    send: async (rows, save, session) => {
      const reply = await fetch(save.address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          experimentID: save.experiment,
          filename: whybench.filename(rows[0], session),
          data: whybench.lines(rows),
        }),
      });
      if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
    },
  },
};

// Names of files that go elsewhere hold the session and not the participant, since who sees a list
// of files need not know who took part.
whybench.filename = (row, name) =>
  `${row.suite}-${row.study}-${name.replace(/[^\w.-]/g, "_")}.jsonl`;

whybench.Rows = class {
  constructor(study, participant) {
    this.save = study.save;
    this.way = whybench.ways[study.save.how];
    this.key = `whybench/${study.id}/${participant}`;
    this.all = [];
    this.sent = 0;
    this.sending = Promise.resolve();
    this.session = whybench.randomId();
    const kept = whybench.read(this.key);
    if (kept) [this.all, this.sent] = [kept.rows, kept.sent];
    if (this.all.length) this.session = this.all[0].session;
  }

  has(kind, fits = () => true) {
    return this.all.some((row) => row.kind === kind && fits(row));
  }

  add(row) {
    this.all.push({ ...row, session: this.session, position: this.all.length });
    this.keep();
    if (!this.way.whole || row.kind === "end") this.send();
  }

  keep() {
    whybench.write(this.key, { rows: this.all, sent: this.sent });
  }

  // One sending after the other; what fails is sent again with the next row.
  send() {
    if (!this.way.send) return this.sending;
    this.sending = this.sending.then(async () => {
      const until = this.all.length;
      if (this.sent === until) return;
      try {
        await this.way.send(this.all.slice(this.sent, until), this.save, this.session);
        this.sent = until;
        this.trouble = null;
        this.keep();
      } catch (error) {
        this.trouble = String(error.message ?? error);
      }
    });
    return this.sending;
  }

  download() {
    const address = URL.createObjectURL(new Blob([whybench.lines(this.all)]));
    const link = document.createElement("a");
    link.href = address;
    link.download = whybench.filename(this.all[0], this.all[0].participant);
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }
};

// A browser may forbid storage; then the study works as long as its tab is open.
whybench.read = (key) => {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
};

whybench.write = (key, value) => {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    return;
  }
};

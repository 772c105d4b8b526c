// The server that ours is measured beside: what somebody who knows Node and Postgres well would write for the twelve calls
// people make most. Two workers, node-postgres, statements prepared for each school with its schema's name in them, the JWT
// checked. No limits, no permissions, no audit but of writes, no log. The benchmark compares its answers with ours before it
// measures anything.
"use strict";
const cluster = require("node:cluster");
const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");

const WORKERS = 2;
const CONNECTIONS = 32;
const FRESH = 5000; // milliseconds that a dashboard is kept, as ours is

const TYPES = {
  today: "date", date: "date", first: "date", last: "date", offset: "int", user: "uuid", student: "uuid", class: "uuid",
  division: "uuid", students: "uuid[]", statuses: "text[]", amount: "bigint", transaction: "uuid", receipt: "uuid", key: "text",
  pattern: "text", reason: "text", schema: "text",
};

// statements of calls.sql, by call: their text with {s} and $n, and the names of their values.
function readCalls() {
  const calls = {};
  const file = fs.readFileSync(path.join(__dirname, "calls.sql"), "utf8");
  for (const part of file.split(/^-- call /m).slice(1)) {
    const [, name, body] = part.match(/^(\w+)\n([^]*)$/);
    calls[name] = body.split(/;\s*$/m).filter((text) => text.trim()).map((text, n) => {
      const values = [];
      const sql = text.trim().replace(/(?<!:):([a-z]+)/g, (_, value) => {
        if (!values.includes(value)) values.push(value);
        return `$${values.indexOf(value) + 1}::${TYPES[value]}`;
      });
      return { name: `${name}${n}`, sql, values };
    });
  }
  return calls;
}

function lead(settings) {
  const workers = [];
  let address;
  for (let i = 0; i < WORKERS; i++) {
    const worker = cluster.fork();
    workers.push(worker);
    worker.send(settings);
  }
  const ticks = (pid) => {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  const memory = (pid) => Number(fs.readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
  const pids = () => [process.pid, ...workers.map((w) => w.process.pid)];
  const sum = (of) => pids().map(of).reduce((a, b) => a + b, 0);
  const control = http.createServer((_, response) => response.end(JSON.stringify({ CPU: sum(ticks) * 1e7, RSS: sum(memory), Heap: 0 })));
  let ready = 0;
  cluster.on("message", (_, said) => {
    address = said.address;
    if (++ready < WORKERS) return;
    control.listen(0, "127.0.0.1", () =>
      console.log(JSON.stringify({ Address: address, Control: `http://127.0.0.1:${control.address().port}` })),
    );
  });
  cluster.on("exit", () => process.exit(1));
}

function serve(settings) {
  const pg = require("pg");
  const same = (text) => text;
  const { builtins } = pg.types;
  for (const type of [builtins.DATE, builtins.TIME]) pg.types.setTypeParser(type, same);
  pg.types.setTypeParser(builtins.INT8, Number);
  pg.types.setTypeParser(builtins.TIMESTAMPTZ, (text) => `${text.slice(0, 10)}T${text.slice(11, -3)}Z`); // the server's zone is UTC
  const pool = new pg.Pool({
    connectionString: settings.Database, max: CONNECTIONS / WORKERS, idleTimeoutMillis: 0, options: settings.Peer.Options,
  });
  const key = Buffer.from(settings.Peer.Key, "base64");
  const { Schools: schemas, Today: today } = settings.Peer;
  const calls = readCalls();

  // prepared is the query of a school, whose text is made once.
  const texts = new Map();
  function prepared(schema, statement, values) {
    const name = `${statement.name} ${schema}`;
    let text = texts.get(name);
    if (text === undefined) texts.set(name, (text = statement.sql.replaceAll("{s}", `${schema}.`)));
    return { name, text, values: statement.values.map((v) => values[v]) };
  }
  const ask = (schema, call, values) =>
    Promise.all(calls[call].map((s) => pool.query(prepared(schema, s, values)).then((result) => result.rows)));

  function claims(request) {
    const [head, body, signature] = (request.headers.authorization ?? "").slice(7).split(".");
    if (!signature) return null;
    const want = crypto.createHmac("sha256", key).update(`${head}.${body}`).digest();
    const got = Buffer.from(signature, "base64url");
    if (got.length !== want.length || !crypto.timingSafeEqual(got, want)) return null;
    const c = JSON.parse(Buffer.from(body, "base64url"));
    return c.exp > Date.now() / 1000 && c.iss === "homeroom" && c.aud[0] === "homeroom" && !c.type ? c : null;
  }

  const page = (rows, number) => {
    const total = rows.length ? rows[0].total : 0;
    for (const row of rows) row.total = undefined;
    return { items: rows, total, page: number, limit: 20, totalPages: Math.ceil(total / 20) };
  };
  const counted = (rows, dayOf) => {
    const n = { present: 0, absent: 0, late: 0, leave: 0, halfDays: 0 };
    for (const row of rows) {
      if (dayOf && (row.dayOff || row.date > today)) continue;
      if (row.status) n[row.status.toLowerCase()]++;
      if (row.status === "LEAVE" && row.halfDay) n.halfDays++;
    }
    return n;
  };
  const dashboards = new Map();

  const office = {
    async students(c, query) {
      const number = Number(query.get("page") ?? 1);
      const division = query.get("filters[classId]");
      const word = query.get("filters[search]");
      if (division) return page((await ask(c.schema, "class", { class: division, today }))[0], number);
      if (word) return page((await ask(c.schema, "search", { pattern: `%${word.toLowerCase()}%`, today }))[0], number);
      return page((await ask(c.schema, "students", { offset: (number - 1) * 20, today }))[0], number);
    },
    async student(c, id) {
      const [[student], guardians, enrolments] = await ask(c.schema, "student", { student: id });
      const seat = enrolments.find((e) => e.startDate <= today && (e.endDate === null || e.endDate >= today));
      const { className, ...rest } = student;
      return {
        academicYearId: seat?.academicYearId ?? null, className: seat?.className ?? className ?? "", divisionId: seat?.divisionId ?? null,
        divisionName: seat?.divisionName ?? "", rollNumber: seat?.rollNumber ?? null, ...rest, classId: seat?.classId ?? rest.classId,
        guardians, enrolments,
      };
    },
    async register(c, query) {
      const date = query.get("date");
      const [[frame], students] = await ask(c.schema, "register", { division: query.get("divisionId"), date, today });
      return { ...frame, date, ...counted(students), unmarked: students.filter((s) => s.status === null).length, students };
    },
    async mark(c, body) {
      const students = body.records.map((r) => r.studentId);
      const [made] = await ask(c.schema, "mark", {
        division: body.divisionId, date: body.date, students, statuses: body.records.map((r) => r.status), user: c.sub,
        reason: body.reason,
      });
      if (made.length !== students.length) throw new Error("somebody is not on the roster");
      const by = new Map(made.map((m) => [m.studentId, m]));
      const records = students.map((s) => by.get(s));
      return { divisionId: body.divisionId, date: body.date, changed: made.length, ...counted(made), records };
    },
    async dues(c) {
      const [rows] = await ask(c.schema, "dues", { today });
      const ageing = { total: 0, notDue: 0, days0To30: 0, days31To60: 0, days61To90: 0, daysOver90: 0 };
      const classes = [];
      const items = [];
      let total = 0;
      let inClearing = 0;
      for (const row of rows) {
        if (row.studentId !== null) {
          row.students = undefined;
          items.push(row);
          continue;
        }
        total += row.students;
        inClearing += row.inClearing;
        for (const age of Object.keys(ageing)) ageing[age] += row[age];
        row.studentId = row.admissionNumber = row.studentName = row.inClearing = undefined;
        classes.push(row);
      }
      return { date: today, ageing, inClearing, classes, items, total, page: 1, limit: 20, totalPages: Math.ceil(total / 20) };
    },
    // payment needs a transaction: what it reads must be read after the account is locked.
    async payment(c, body, headers) {
      const values = {
        student: body.studentId, amount: body.amount, today, user: c.sub, transaction: crypto.randomUUID(), receipt: crypto.randomUUID(),
        key: headers["idempotency-key"], schema: c.schema, // the trigger that balances the ledger looks in the search_path
      };
      const client = await pool.connect();
      try {
        const [lock, write] = calls.payment;
        const texts = ["begin", prepared(c.schema, lock, values), prepared(c.schema, write, values)];
        const row = (await Promise.all(texts.map((text) => client.query(text))))[2].rows[0];
        await client.query("commit");
        return row;
      } catch (e) {
        await client.query("rollback");
        throw e;
      } finally {
        client.release();
      }
    },
    async dashboard(c) {
      const known = dashboards.get(c.schema);
      if (known && Date.now() - known.at < FRESH) return known.data;
      const [divisions, [n], [owed], [month], series, events] = await ask(c.schema, "dashboard", { today });
      const marks = () => ({ students: 0, present: 0, absent: 0, late: 0, leave: 0, noMark: 0 });
      const attendance = { ...marks(), classes: [], unmarked: [] };
      for (const d of divisions) {
        let last = attendance.classes.at(-1);
        if (last?.classId !== d.classId) {
          attendance.classes.push((last = { classId: d.classId, className: d.className, schoolToday: d.open, ...marks() }));
        }
        const noMark = d.open ? d.without : 0;
        for (const into of [last, attendance]) {
          for (const field of ["students", "present", "absent", "late", "leave"]) into[field] += d[field];
          into.noMark += noMark;
        }
        const { divisionId, divisionName, classId, className, students } = d;
        if (noMark) attendance.unmarked.push({ divisionId, divisionName, classId, className, students, noMark });
      }
      const data = {
        date: today, students: n.students, employees: n.employees, attendance,
        fees: { ...owed, collectedToday: series.at(-1).collected, collectedMonth: month.collected },
        leave: { students: n.studentLeave, employees: n.employeeLeave }, library: { issued: n.issued, overdue: n.late }, events, series,
      };
      dashboards.set(c.schema, { at: Date.now(), data });
      return data;
    },
  };

  const parent = {
    async children(c) {
      const [students] = await ask(c.schema, "children", { user: c.sub, today });
      return { students, total: students.length };
    },
    async buses(c) {
      const [buses, notRidingDays] = await ask(c.schema, "buses", { user: c.sub, today });
      return { buses, total: buses.length, notRidingDays };
    },
    async family(c) {
      const [children, invoices] = await ask(c.schema, "family", { user: c.sub, today });
      let total = 0;
      const items = children.map(({ balance, ...student }) => {
        total += Math.max(0, balance);
        const own = invoices.filter((i) => i.studentId === student.id);
        for (const i of own) i.studentId = undefined;
        return { student, balance, advance: Math.max(0, -balance), invoices: own };
      });
      return { items, total, currency: "INR" };
    },
    async month(c, query) {
      const month = today.slice(0, 7);
      const last = `${month}-${new Date(Number(today.slice(0, 4)), Number(today.slice(5, 7)), 0).getDate()}`;
      const student = query.get("studentId");
      const [days, lessons] = await ask(c.schema, "month", { student, user: c.sub, first: `${month}-01`, last });
      let schoolDays = 0;
      for (const day of days) {
        if (day.dayOff) day.status = "HOLIDAY";
        else if (day.date <= today) schoolDays++;
        day.lessons = lessons.filter((l) => l.date === day.date).map(({ date, ...l }) => l);
      }
      const n = counted(days, true);
      const marked = n.present + n.absent + n.late + n.leave;
      const percent = marked ? Math.round(((n.present + n.late + n.halfDays / 2) * 1000) / marked) / 10 : null;
      const totals = { ...n, schoolDays, marked, unmarked: Math.max(0, schoolDays - marked), percent };
      return { studentId: student, month, days, totals };
    },
    async notifications(c) {
      const [[n], lines] = await ask(c.schema, "notifications", { user: c.sub });
      const notifications = lines.map(({ id, title, body, type, recordId, studentId, readAt, createdAt }) => ({
        id, title, body, type, data: { id: recordId, studentId }, readAt, createdAt,
      }));
      return { notifications, unreadCount: n.unread, total: n.total, page: 1, limit: 20, totalPages: Math.ceil(n.total / 20) };
    },
    async timetable(c, query) {
      const [rows] = await ask(c.schema, "timetable", { user: c.sub, student: query.get("studentId"), today });
      const dayOfWeek = new Date(today).getUTCDay() || 7;
      const slots = rows.filter((s) => s.dayOfWeek === dayOfWeek).map((s) => ({ ...s, mine: false }));
      for (const s of rows) s.substitutionId = s.substituteTeacherId = s.substituteTeacherName = s.note = undefined;
      return { date: today, dayOfWeek, slots, week: rows };
    },
  };

  const routes = {
    "GET /school-admin/student/list": (c, url) => office.students(c, url.searchParams),
    "GET /school-admin/attendance/register": (c, url) => office.register(c, url.searchParams),
    "POST /school-admin/attendance/mark": (c, _, body) => office.mark(c, body),
    "GET /school-admin/fee/dues": (c) => office.dues(c),
    "POST /school-admin/fee/collection/record": (c, _, body, headers) => office.payment(c, body, headers),
    "GET /school-admin/dashboard/summary": (c) => office.dashboard(c),
    "POST /parent/student/list": (c) => parent.children(c),
    "GET /parent/transport/my-buses": (c) => parent.buses(c),
    "GET /parent/fee/dues": (c) => parent.family(c),
    "GET /parent/attendance/list": (c, url) => parent.month(c, url.searchParams),
    "GET /parent/notification/delivered-notifications": (c) => parent.notifications(c),
    "GET /parent/timetable/get": (c, url) => parent.timetable(c, url.searchParams),
  };

  const send = (response, status, value) => {
    const text = JSON.stringify(value);
    response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.end(text);
  };
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      try {
        const c = claims(request);
        if (c === null) return send(response, 401, { message: "no" });
        c.schema = schemas[c.schoolId];
        const url = new URL(request.url, "http://peer");
        const route = routes[`${request.method} ${url.pathname}`];
        const body = chunks.length ? JSON.parse(Buffer.concat(chunks)).data : undefined;
        const data = await (route ? route(c, url, body, request.headers) : office.student(c, url.pathname.split("/")[3]));
        send(response, 200, { data, message: "OK" });
      } catch (e) {
        send(response, 500, { message: e.message });
      }
    });
  });
  server.keepAliveTimeout = 600000;
  server.listen(0, "127.0.0.1", 4096, () => process.send({ address: `127.0.0.1:${server.address().port}` }));
}

if (cluster.isPrimary) {
  let text = "";
  process.stdin.on("data", (chunk) => {
    text += chunk;
    if (!text.endsWith("\n")) return;
    lead(JSON.parse(text));
    text = "";
  });
  process.stdin.on("end", () => process.exit(0));
} else {
  process.once("message", serve);
  process.on("disconnect", () => process.exit(0));
}

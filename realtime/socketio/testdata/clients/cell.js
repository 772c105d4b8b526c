// One cell of the table of clients: node cell.js <2|3|4> <polling|websocket|upgrade> <address> <address with quick heartbeats>
// Does everything a client of that version does over that transport, against a server under test. Fails loudly.
"use strict";
const assert = require("node:assert");
const [version, mode, address, quick] = process.argv.slice(2);
const io = require(`client${version}`);
const old = version === "2";
const transports = mode === "upgrade" ? ["polling", "websocket"] : [mode];

function options(token) {
  const o = { transports, forceNew: true, reconnectionDelay: 20, reconnectionDelayMax: 100, timeout: 20000 };
  return old ? { ...o, query: { token } } : { ...o, auth: { token } };
}

const open = (token, where = address) => io(where, options(token));
const event = (emitter, name) => new Promise((resolve) => emitter.once(name, (...args) => resolve(args)));
const ask = (socket, ...args) => new Promise((resolve) => socket.emit(...args, resolve));
const transportOf = (socket) => socket.io.engine.transport.name;

async function settled(socket) {
  await event(socket, "connect");
  if (mode === "upgrade" && transportOf(socket) !== "websocket") await event(socket.io.engine, "upgrade");
}

const steps = {
  async "connects over the transport it was told to use"() {
    const socket = open("anna");
    await settled(socket);
    assert.strictEqual(transportOf(socket), mode === "polling" ? "polling" : "websocket");
    assert.strictEqual(await ask(socket, "whoami"), "anna");
    if (!old) assert.notStrictEqual(socket.id, socket.io.engine.id);
    socket.close();
  },
  async "is refused and told why"() {
    const socket = open("mallory");
    const [reason] = await event(socket, old ? "error" : "connect_error");
    if (old) assert.deepStrictEqual(reason, { code: "NOBODY" });
    else {
      assert.strictEqual(reason.message, "who are you?");
      assert.deepStrictEqual(reason.data, { code: "NOBODY" });
    }
    assert.ok(!socket.connected);
    socket.close();
  },
  async "is refused at another namespace"() {
    const socket = io(address + "/admin", options("anna"));
    const [reason] = await event(socket, old ? "error" : "connect_error");
    assert.strictEqual(old ? reason : reason.message, "Invalid namespace");
    socket.close();
  },
  async "asks and is answered, and the other way round"() {
    const socket = open("anna");
    socket.on("question", (n, answer) => answer(n * 2));
    const answered = event(socket, "answered");
    await event(socket, "connect");
    assert.deepStrictEqual(await ask(socket, "echo", { a: [1, null, "x"] }), { a: [1, null, "x"] });
    socket.emit("ask me");
    assert.deepStrictEqual(await answered, [42]);
    socket.close();
  },
  async "carries every script"() {
    const socket = open("anna");
    await event(socket, "connect");
    for (const text of ["ünïcödé", "学校のバス", "🚌👩‍🏫🇮🇳", "മലയാളം", "\u2028\u0000\"\\", "\x1e", "10:40"]) {
      assert.strictEqual(await ask(socket, "echo", text), text);
      assert.strictEqual(await ask(socket, "echo", text.repeat(50)), text.repeat(50));
    }
    socket.close();
  },
  async "sends and gets forty in order, across an upgrade if there is one"() {
    const socket = open("anna");
    const got = [];
    const all = new Promise((resolve) => socket.on("n", (n) => got.push(n) === 40 && resolve()));
    await event(socket, "connect");
    for (let n = 0; n < 40; n++) {
      socket.emit("n", n, "🚌");
      if (n % 10 === 0) await new Promise(setImmediate);
    }
    await all;
    assert.deepStrictEqual(got, [...Array(40).keys()]);
    socket.close();
  },
  async "hears its rooms"() {
    const [one, other] = [open("anna"), open("ben")];
    await Promise.all([event(one, "connect"), event(other, "connect")]);
    const room = `room of ${version} ${mode}`;
    assert.strictEqual(await ask(one, "join", room), "joined");
    const heard = event(one, "shout");
    other.emit("shout", room, "hello");
    assert.deepStrictEqual(await heard, ["hello"]);
    one.close();
    other.close();
  },
  async "beats its heart"() {
    const socket = open("anna", quick);
    socket.on("disconnect", (reason) => assert.fail(reason));
    await event(socket, "connect");
    await new Promise((resolve) => {
      let beats = 0;
      socket.io.engine.on("packet", (packet) => packet.type === (old ? "pong" : "ping") && ++beats === 4 && resolve());
    });
    assert.strictEqual(await ask(socket, "echo", 1), 1);
    socket.removeAllListeners("disconnect");
    socket.close();
  },
  async "may send 16 KiB and not more, and comes back after it did"() {
    const socket = open("anna");
    await settled(socket);
    const large = "x".repeat(16 * 1024 - 100);
    assert.strictEqual(await ask(socket, "echo", large), large);
    const gone = event(socket, "disconnect");
    const back = gone.then(() => event(socket, "connect"));
    socket.emit("echo", large + large);
    await gone;
    await back;
    assert.strictEqual(await ask(socket, "echo", 1), 1);
    socket.close();
  },
  async "comes back by itself after a restart"() {
    const socket = open("anna");
    await settled(socket);
    const gone = event(socket, "disconnect");
    const back = gone.then(() => event(socket, "connect"));
    socket.emit("restart");
    const [reason] = await gone;
    assert.notStrictEqual(reason, "io server disconnect");
    await back;
    assert.strictEqual(await ask(socket, "whoami"), "anna");
    socket.close();
  },
  async "stays away when it is told to"() {
    const socket = open("anna");
    await event(socket, "connect");
    socket.io.on("reconnect_attempt", () => assert.fail("it came back"));
    const gone = event(socket, "disconnect");
    socket.emit("logout");
    assert.deepStrictEqual((await gone)[0], "io server disconnect");
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.close();
  },
};

(async () => {
  const only = process.env.ONLY;
  const times = Number(process.env.TIMES || 1);
  for (const [name, step] of Object.entries(steps)) {
    if (only && !name.includes(only)) continue;
    let timer;
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("it takes too long")), 240000)));
    try {
      await Promise.race([Promise.all(Array.from({ length: times }, step)), late]);
    } catch (error) {
      console.error(`${name}: ${error.stack}`);
      process.exit(1);
    }
    clearTimeout(timer);
    console.log(name);
  }
  process.exit(0);
})();

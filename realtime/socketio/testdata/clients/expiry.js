// An app whose token ends: node expiry.js <2|3|4> <polling|websocket|upgrade> <address> <token>
// Says what happens to its connection, a line of JSON each, and comes back with each token it is given as a line of input, until that ends.
"use strict";
const [version, mode, address, first] = process.argv.slice(2);
const io = require(`client${version}`);
const old = version === "2";
const transports = mode === "upgrade" ? ["polling", "websocket"] : [mode];
const say = (what) => console.log(JSON.stringify(what));

let token = first;
const options = { transports, forceNew: true, reconnectionDelay: 20, reconnectionDelayMax: 100 };
const socket = io(address, old ? { ...options, query: { token } } : { ...options, auth: (answer) => answer({ token }) });
socket.on("connect", () => say({ what: "connected" }));
socket.on("token-expiring", (data) => say({ what: "expiring", data }));
socket.on("disconnect", (reason) => say({ what: "gone", reason }));
socket.on(old ? "error" : "connect_error", (error) => {
  const data = old ? error : error.data;
  if (data) say({ what: "refused", data });
});
const input = require("node:readline").createInterface({ input: process.stdin });
input.on("close", () => socket.close());
input.on("line", (line) => {
  token = line;
  if (old) socket.io.opts.query = { token };
  socket.close();
  socket.open();
});

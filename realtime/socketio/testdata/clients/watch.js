// An app that watches a bus: node watch.js <2|3|4> <polling|websocket|upgrade> <address> <token> <schoolId> <busId>
// Says what it was answered when it joined the bus's room, then every position it hears, a line of JSON each.
"use strict";
const [version, mode, address, token, schoolId, busId] = process.argv.slice(2);
const io = require(`client${version}`);
const transports = mode === "upgrade" ? ["polling", "websocket"] : [mode];
const say = (what) => console.log(JSON.stringify(what));

const options = { transports, forceNew: true };
const socket = io(address, version === "2" ? { ...options, query: { token } } : { ...options, auth: { token } });
socket.on(version === "2" ? "error" : "connect_error", (reason) => say({ refused: String(reason.message || reason) }));
socket.on("location", (where) => say({ location: where }));
socket.on("connect", () => socket.emit("join-bus-room", { schoolId, busId }, (answer) => say({ joined: answer.ok === true })));

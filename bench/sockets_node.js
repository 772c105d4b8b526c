// The Socket.IO server of Node, doing what serveSockets does: a child of the benchmark.
"use strict";
const path = require("node:path");
const http = require("node:http");
const { createRequire } = require("node:module");
const clients = path.join(__dirname, "..", "realtime", "socketio", "testdata", "clients", "package.json");
const { Server } = createRequire(clients)("socket.io");

const server = http.createServer();
const io = new Server(server, { pingInterval: 15000, pingTimeout: 10000, maxHttpBufferSize: 16384, serveClient: false });
io.use((socket, next) => next(socket.handshake.auth.token === "bench" ? undefined : new Error("refused")));
io.on("connection", (socket) => {
  socket.on("join", (room, answer) => {
    socket.join(room);
    answer("joined");
  });
  socket.on("publish", (room, value) => io.to(room).emit("location", value));
});

const control = http.createServer((request, response) => {
  if (request.url === "/collected") {
    global.gc();
    global.gc();
  }
  const cpu = process.cpuUsage();
  const memory = process.memoryUsage();
  response.end(JSON.stringify({ CPU: (cpu.user + cpu.system) * 1000, RSS: memory.rss, Heap: memory.heapUsed }));
});

process.stdin.on("end", () => process.exit(0)).resume();
server.listen(0, "127.0.0.1", 4096, () =>
  control.listen(0, "127.0.0.1", () => {
    const address = (s) => `127.0.0.1:${s.address().port}`;
    console.log(JSON.stringify({ Address: address(server), Control: `http://${address(control)}` }));
  }),
);

// Eight o'clock: parents read, teachers mark, people sign in, buses report over Socket.IO.
// Calls come at a steady pace, whatever the answers do: a slow service is not asked less.
import http from 'k6/http';
import exec from 'k6/execution';
import { SharedArray } from 'k6/data';
import { WebSocket } from 'k6/websockets';
import { Rate, Trend } from 'k6/metrics';

const base = __ENV.BASE;
const seconds = Number(__ENV.SECONDS);
const rate = Number(__ENV.RATE); // calls a second, positions apart
const first = Number(__ENV.FIRST); // how many registers runs before this one have marked
const flood = Number(__ENV.FLOOD); // people who call again as soon as they are answered; 0: calls come at the rate
const every = Number(__ENV.EVERY); // milliseconds between two positions of a bus
const marking = 0.05;
const signingIn = 0.01;

const users = (kind) => new SharedArray(kind, () => JSON.parse(open(__ENV.USERS))[kind]);
const parents = users('parents'); // {token, student, bus}
const teachers = users('teachers'); // {token, division, students}
const drivers = users('drivers'); // {token}
const phones = users('phones');
const days = users('days');

const took = {};
const failed = {};
for (const kind of ['child', 'attendance', 'bus', 'mark', 'pin', 'position']) {
  took[kind] = new Trend(`took_${kind}`, true);
  failed[kind] = new Rate(`failed_${kind}`);
}
const everything = new Trend('took', true);

const pace = (share, vus, run) => ({
  executor: 'constant-arrival-rate',
  exec: run,
  rate: Math.max(1, Math.round(rate * share * 60)),
  timeUnit: '1m',
  duration: `${seconds}s`,
  preAllocatedVUs: vus, // k6 makes more while the calls wait for them: so all are there from the start
  maxVUs: vus,
  gracefulStop: '5s',
});

const busVUs = 20; // each has several sockets, and an address of its own: nginx chooses the instance by it

const calls = flood > 0
  ? { everybody: { executor: 'constant-vus', exec: 'anything', vus: flood, duration: `${seconds}s`, gracefulStop: '5s' } }
  : {
    parents: pace(1 - marking - signingIn, 200, 'reads'),
    teachers: pace(marking, 40, 'marks'),
    arrivals: pace(signingIn, 40, 'signsIn'),
  };

export const options = {
  scenarios: {
    ...calls,
    buses: { executor: 'per-vu-iterations', exec: 'drive', vus: busVUs, iterations: 1, maxDuration: `${seconds + 15}s`, gracefulStop: '5s' },
  },
  discardResponseBodies: true,
  insecureSkipTLSVerify: true,
  systemTags: ['status'],
  summaryTrendStats: ['med', 'p(99)', 'max', 'count'],
};

let complaints = 0;

function answered(kind, response, wanted) {
  const good = response.status === wanted;
  took[kind].add(response.timings.duration);
  everything.add(response.timings.duration);
  failed[kind].add(!good);
  if (!good && complaints++ < 3) console.warn(`${kind}: ${response.status} ${response.error}`);
}

const as = (token, more) => ({ headers: { Authorization: `Bearer ${token}`, ...more } });

// Who read in the run before is remembered by the service for a while: others come first.
const readers = Math.round(first / marking);

export const reads = () => read(readers + exec.scenario.iterationInTest);
export const marks = () => mark(exec.scenario.iterationInTest);
export const signsIn = () => signIn(exec.scenario.iterationInTest);

// anything is one call of the same twenty, in the same order, again and again: however
// many are answered, so many of twenty are of each kind. Nobody signs in: that costs as
// much as thirty reads and is refused when the cores are full, so who refuses more would
// look faster.
export function anything() {
  const n = exec.scenario.iterationInTest;
  if (n % 20 === 0) return mark(n / 20);
  return read(readers + n);
}

// One glance at the phone is one of three calls.
function read(n) {
  const parent = parents[Math.floor(n / 3) % parents.length];
  switch (n % 3) {
    case 0:
      return answered('child', http.get(`${base}/parent/student/${parent.student}`, as(parent.token)), 200);
    case 1:
      return answered('attendance', http.get(`${base}/parent/attendance/list?studentId=${parent.student}`, as(parent.token)), 200);
    default:
      return answered('bus', http.get(`${base}/bus-tracking/bus/${parent.bus}/live`, as(parent.token)), 200);
  }
}

// Every call has a register nobody has marked, until all of them are; then marks change.
function mark(nth) {
  const n = first + nth;
  const teacher = teachers[n % teachers.length];
  const day = Math.floor(n / teachers.length);
  const absent = Math.floor(day / days.length);
  const records = teacher.students.map((studentId, i) => ({ studentId, status: i === absent % teacher.students.length ? 'ABSENT' : 'PRESENT' }));
  const body = JSON.stringify({ data: { divisionId: teacher.division, date: days[day % days.length], records } });
  const how = as(teacher.token, { 'Content-Type': 'application/json', 'Idempotency-Key': `register ${n} of ${__ENV.FIRST}` });
  answered('mark', http.post(`${base}/teacher/attendance/mark`, body, how), 200);
}

function signIn(n) {
  const phone = phones[n % phones.length];
  const how = { headers: { 'Content-Type': 'application/json' } };
  answered('pin', http.post(`${base}/parent/user-auth/verify-pin`, JSON.stringify({ phone, pin: '4826' }), how), 200);
}

export function drive() {
  for (let i = exec.scenario.iterationInTest; i < drivers.length; i += busVUs) ride(drivers[i].token, (i * every) / drivers.length);
}

// ride is a driver's phone. It speaks Engine.IO 4 by hand: 0 opens, 2 asks for a 3, 40 lets
// in, 44 refuses, 42 is an event and 43 the answer to one.
function ride(token, delay) {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const waiting = {};
  let next = 0;
  let timer = null;
  let over = false;
  const report = () => {
    waiting[next] = Date.now();
    const where = { lat: 12.92 + next / 1e4, lng: 77.5, speed: 8.5, heading: 12, timestamp: Date.now() };
    socket.send(`42${next++}${JSON.stringify(['update-location', where])}`);
  };
  socket.onmessage = ({ data }) => {
    if (data === '2') return socket.send('3');
    if (data[0] === '0') return socket.send(`40${JSON.stringify({ token })}`);
    if (data.startsWith('44')) {
      failed.position.add(true);
      if (complaints++ < 3) console.warn(`socket: ${data}`);
      return socket.close();
    }
    if (data.startsWith('40')) {
      setTimeout(() => {
        if (over) return;
        report();
        timer = setInterval(report, every);
      }, delay);
      return;
    }
    if (!data.startsWith('43')) return;
    const id = parseInt(data.slice(2), 10);
    took.position.add(Date.now() - waiting[id]);
    failed.position.add(!data.includes('"ok":true'));
    if (!data.includes('"ok":true') && complaints++ < 3) console.warn(`position: ${data}`);
    delete waiting[id];
  };
  socket.onerror = (e) => {
    if (over) return;
    failed.position.add(true);
    if (complaints++ < 3) console.warn(`socket: ${e.error}`);
  };
  const hangUp = () => {
    over = true;
    if (timer !== null) clearInterval(timer);
    setTimeout(() => {
      for (const id of Object.keys(waiting)) {
        failed.position.add(true); // nobody said so within two seconds
        if (complaints++ < 3) console.warn(`position ${id} of ${next}: no answer after ${Date.now() - waiting[id]} ms`);
      }
      socket.close();
    }, 2000);
  };
  setTimeout(hangUp, seconds * 1000);
}

export function handleSummary(data) {
  return { [__ENV.OUT]: JSON.stringify(data.metrics) };
}

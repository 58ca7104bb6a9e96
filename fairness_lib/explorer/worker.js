// The engine, off the main thread. The first of the crew draws the traffic, passes it on to those
// that are asked as well, and then the times at which fair sharing would have started each task;
// each runs the policies that it was given, and measures them.

const KINDS = { Ints: BigInt64Array, Reals: Float64Array, Words: BigUint64Array, Bytes: Int8Array };
const MOST_WORKERS = 64, FRUITLESS = 2, SERVED = 0, QUANTILE = 0.99;
const OUTPUTS = [
  "arrived", "completed", "outcomes", "fair_share_per_s", "x", "wait_s", "owed", "kept", "missed",
  "behind_s", "scalars", "step_wait_s", "step_waiting",
];
const TRAFFIC = ["arrival_s", "tenant", "cost_s"], FAIR = ["fair_start_s", "virtual_s", "cut_virtual_s"];

let memory, engine, spec, ports = [], leading = true, columns = {}, dims = {};
let traffic = { key: null, fair: null, tasks: 0 };
const sent = [], arrived = {}, expected = {};

// Give every column its place; the traffic in the old places is lost.
function lay(wanted) {
  dims = wanted;
  let end = 8 * Math.ceil(engine.__heap_base.value / 8); // its own stack and constants lie below
  for (const parameters of Object.values(spec.arguments)) {
    for (const [name, type] of parameters) {
      if (!(type in KINDS) || columns[name]?.dims === dims) continue;
      const [times, dimension, plus] = spec.sizes[name];
      const length = times * dims[dimension] + plus;
      columns[name] = { dims, type, length, at: end };
      end += 8 * Math.ceil((length * KINDS[type].BYTES_PER_ELEMENT) / 8);
    }
  }
  const more = Math.ceil((end - memory.buffer.byteLength) / 65536);
  if (more > 0) memory.grow(more);
}

const column = (name) => {
  const { type, at, length } = columns[name];
  return new KINDS[type](memory.buffer, at, length);
};
const call = (name, numbers) =>
  engine[name](...spec.arguments[name].map(([arg, type]) => (type in KINDS ? columns[arg].at : numbers[arg])));

// 64-bit FNV-1a of a tenant's name: the key of its random streams.
const keys = new Map();
function keyOf(name) {
  if (!keys.has(name)) {
    let key = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(name)) key = BigInt.asUintN(64, (key ^ BigInt(byte)) * 0x100000001b3n);
    keys.set(name, key);
  }
  return keys.get(name);
}

// The rate as pieces [from, to, rate], as Tenant.rate_pieces has it.
function pieces({ rate_per_s, bursts }, factor, horizon) {
  const found = [];
  let edge = 0;
  for (const [from, to] of [...bursts].sort((a, b) => a[0] - b[0])) {
    if (from > edge) found.push([edge, from, rate_per_s]);
    found.push([from, to, rate_per_s * factor]);
    edge = to;
  }
  if (edge < horizon) found.push([edge, horizon, rate_per_s]);
  return found;
}

function makeRoom(setting, pieces, room) {
  const { tenants, groups } = setting, cells = groups * stepsOf(setting);
  const fits = dims.tenants === tenants.length && dims.pieces === pieces && dims.groups === groups && dims.cells === cells && dims.tasks >= room;
  if (!fits) lay({ tenants: tenants.length, pieces, groups, cells, tasks: Math.ceil(1.3 * room), workers: MOST_WORKERS });
}
const stepsOf = ({ horizon_s, step_s }) => Math.ceil(horizon_s / step_s);

function draw(setting) {
  const { tenants, seed, burst, horizon_s } = setting;
  const rates = tenants.map((t) => pieces(t, burst, horizon_s));
  const all = rates.flat(), mean = all.reduce((sum, [from, to, rate]) => sum + rate * (to - from), 0);
  makeRoom(setting, all.length, Math.ceil(mean + 8 * Math.sqrt(mean) + 64));
  column("key").set(tenants.map((t) => keyOf(t.name)));
  let first = 0;
  column("first_piece").set([...rates.map((r) => BigInt((first += r.length) - r.length)), BigInt(all.length)]);
  column("cost_kind").set(tenants.map((t) => BigInt(t.cost.kind)));
  column("mean_cost_s").set(tenants.map((t) => t.cost.mean_s));
  column("long_cost_s").set(tenants.map((t) => t.cost.long_s));
  column("long_share").set(tenants.map((t) => t.cost.long_share));
  ["piece_from_s", "piece_to_s", "piece_rate_per_s"].forEach((name, i) => column(name).set(all.map((p) => p[i])));
  return call("generate", { seed: BigInt(seed), tenants: tenants.length, room: dims.tasks });
}

// --- the first of the crew passes on what all need ----------------------------------------------

function pass(port, kind, key, names) {
  const data = names.map((name) => {
    const whole = column(name);
    return spec.sizes[name][1] === "tasks" ? whole.slice(0, traffic.tasks) : whole.slice();
  });
  port.postMessage({ kind, key, tasks: traffic.tasks, data }, data.map((part) => part.buffer));
}

function listen(port) {
  port.onmessage = ({ data }) => {
    arrived[data.kind] = data;
    expected[data.kind]?.();
  };
}

async function receive(kind, key) {
  while (arrived[kind]?.key !== key) await new Promise((done) => { expected[kind] = done; });
  const found = arrived[kind];
  arrived[kind] = null;
  if (found.error) throw new Error(found.error);
  return found;
}

async function getTraffic({ setting, key }) {
  if (traffic.key === key) return;
  traffic = { key: null, fair: null, tasks: 0 };
  if (leading) traffic.tasks = draw(setting);
  else {
    const { tasks, data } = await receive("traffic", key);
    makeRoom(setting, 0, tasks);
    TRAFFIC.forEach((name, i) => column(name).set(data[i]));
    traffic.tasks = tasks;
  }
  traffic.key = key;
}

async function getFairStarts({ setting: { tenants, workers, window }, fair }) {
  if (traffic.fair === fair) return;
  column("weight").set(tenants.map((t) => t.weight));
  if (leading) {
    column("cut_s").set(window);
    call("share_fairly", { tasks: traffic.tasks, tenants: tenants.length, workers });
  } else {
    const { data } = await receive("fair", fair);
    FAIR.forEach((name, i) => column(name).set(data[i]));
  }
  traffic.fair = fair;
}

async function prepare(asked) {
  const { key, fair, to } = asked;
  await getTraffic(asked);
  for (const k of to) if (sent[k]?.key !== key) pass(ports[k], "traffic", key, TRAFFIC);
  await getFairStarts(asked);
  for (const k of to) {
    if (sent[k]?.key !== key || sent[k].fair !== fair) pass(ports[k], "fair", fair, FAIR);
    sent[k] = { key, fair };
  }
}

// --- a policy -----------------------------------------------------------------------------------

function simulate({ tenants, workers }, policy) {
  column("quota_per_s").set(tenants.map((t) => t.quota_per_s));
  column("quota_burst").set(tenants.map((t) => t.quota_burst));
  const numbers = { ...policy, tasks: traffic.tasks, tenants: tenants.length, workers };
  if (!policy.by_tenant) {
    call("simulate_fifo", numbers);
    return 0;
  }
  column("quantum_s").set(tenants.map((t) => policy.quantum_s * t.weight));
  column("stated").set(tenants.map((t) => t.stated));
  call("state_costs", numbers);
  call("simulate_drr", numbers);
  return Number(column("ring")[FRUITLESS]);
}

function look(setting, fruitless) {
  const { tenants, groups, workers, horizon_s, objective_s, step_s, window: [from_s, to_s] } = setting;
  const numbers = { tasks: traffic.tasks, tenants: tenants.length, groups, workers, horizon_s, objective_s, from_s, to_s };
  const failed = call("measure", numbers);
  if (failed) throw new Error(failed === 1 ? "No task arrives in the measured time." : "No task finishes in the measured time.");
  column("group").set(tenants.map((t) => BigInt(t.row)));
  call("timeline", { ...numbers, steps: stepsOf(setting), step_s, q: QUANTILE });
  const outcome = column("outcome");
  let served = 0;
  for (let task = 0; task < traffic.tasks; task += 1) if (outcome[task] === SERVED) served += 1;
  const plain = (name) => Float64Array.from(column(name), Number);
  return { ...Object.fromEntries(OUTPUTS.map((name) => [name, plain(name)])), fruitless: [fruitless], served: [served] };
}

async function answer(asked) {
  const results = {};
  if (leading) await prepare(asked);
  else await getTraffic(asked);
  for (const policy of asked.policies) {
    const fruitless = simulate(asked.setting, policy);
    await getFairStarts(asked); // they come while the first policy is run
    results[policy.name] = look(asked.setting, fruitless);
  }
  return { tasks: traffic.tasks, results };
}

onmessage = async ({ data }) => {
  if (data.wasm) {
    spec = data.spec;
    ports = data.ports;
    leading = !data.port;
    if (data.port) listen(data.port);
    memory = new WebAssembly.Memory({ initial: 2 });
    engine = (await WebAssembly.instantiate(data.wasm, { env: { memory } })).instance.exports;
    postMessage({ ready: true });
    return;
  }
  try {
    postMessage(await answer(data));
  } catch (error) {
    traffic.key = null;
    for (const k of data.to || []) {
      for (const [kind, key] of [["traffic", data.key], ["fair", data.fair]]) ports[k].postMessage({ kind, key, error: error.message });
      sent[k] = null;
    }
    postMessage({ error: error.message });
  }
};

// The engine, off the main thread. Each of the crew draws the traffic for itself and runs the policies
// that it was given. It is asked for what each tenant got, for the rest (what fair sharing would have
// owed them, and the minute, second by second), or for both.

const KINDS = { Ints: BigInt64Array, Reals: Float64Array, Words: BigUint64Array, Bytes: Int8Array };
const MOST_WORKERS = 64, FRUITLESS = 2, SERVED = 0, QUANTILE = 0.99;
const GOT = ["arrived", "completed", "outcomes", "fair_share_per_s", "x", "wait_s", "scalars"];
const RUN = ["start_s", "outcome"];
const REST = ["owed", "kept", "missed", "behind_s", "scalars", "step_wait_s", "step_waiting"];

let memory, engine, spec, columns = {}, dims = {};
let steady = { key: null, tasks: 0 }, traffic = { key: null, tasks: 0 }, fair = null, runs = {};

// Give every column its place; the traffic in the old places is lost.
function lay(wanted) {
  steady.key = null;
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
const call = (name, numbers, into = "") =>
  engine[name](...spec.arguments[name].map(([arg, type]) => (type in KINDS ? (columns[into + arg] || columns[arg]).at : numbers[arg])));

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

// What does not burst stays as it is when the burst is moved. A tenant is left out by rates of 0, so
// that all keep their numbers.
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
  ["piece_from_s", "piece_to_s"].forEach((name, i) => column(name).set(all.map((p) => p[i])));
  const generate = (into, among) => {
    column("piece_rate_per_s").set(rates.flatMap((r, t) => r.map((p) => (among(tenants[t]) ? p[2] : 0))));
    return call("generate", { seed: BigInt(seed), tenants: tenants.length, room: dims.tasks }, into);
  };
  const key = JSON.stringify([seed, horizon_s, tenants.map((t) => t.bursts.length || [t.name, t.rate_per_s, t.cost])]);
  if (steady.key !== key) steady = { key, tasks: generate("steady_", (t) => !t.bursts.length) };
  const bursting = generate("bursting_", (t) => t.bursts.length);
  return call("merge", { steady: steady.tasks, bursting });
}

function getTraffic({ setting, key }) {
  if (traffic.key === key) return;
  traffic.key = fair = null;
  traffic = { key, tasks: draw(setting) };
}

function getFairStarts({ setting: { tenants, workers, window }, fair: key }) {
  if (fair === key) return;
  column("weight").set(tenants.map((t) => t.weight));
  column("cut_s").set(window);
  call("share_fairly", { tasks: traffic.tasks, tenants: tenants.length, workers });
  fair = key;
}

// --- a policy -----------------------------------------------------------------------------------

function simulate({ tenants, workers }, policy) {
  column("quota_per_s").set(tenants.map((t) => t.quota_per_s));
  column("quota_burst").set(tenants.map((t) => t.quota_burst));
  if (policy.given) { // a run made elsewhere, to be measured
    for (const [name, values] of Object.entries(policy.given)) column(name).set(values);
    return 0;
  }
  const numbers = { ...policy, tasks: traffic.tasks, tenants: tenants.length, workers };
  column("weight").set(tenants.map((t) => t.weight));
  column("quantum_s").set(tenants.map((t) => policy.quantum_s * t.weight));
  column("stated").set(tenants.map((t) => t.stated));
  if (policy.by_tenant) call("state_costs", numbers);
  if (policy.limit) {
    column("limit").fill(BigInt(policy.limit));
    column("size_from_s").fill(0);
    column("size").fill(BigInt(workers));
  }
  call(`simulate_${policy.loop}`, numbers);
  return policy.loop === "drr" ? Number(column("ring")[FRUITLESS]) : 0;
}

// `measure` needs the fair starts for what is among the rest, and for nothing else.
function measure({ tenants, workers, horizon_s, objective_s, window: [from_s, to_s] }) {
  column("weight").set(tenants.map((t) => t.weight));
  const numbers = { tasks: traffic.tasks, tenants: tenants.length, workers, horizon_s, objective_s, from_s, to_s };
  const failed = call("measure", numbers);
  if (failed) throw new Error(failed === 1 ? "No task arrives in the measured time." : "No task finishes in the measured time.");
}
const found = (names) => Object.fromEntries(names.map((name) => [name, Float64Array.from(column(name), Number)]));

// A run is kept for the rest of the answer; the last one stays where it is.
function whatTheyGot({ setting, policies }, policy) {
  const fruitless = simulate(setting, policy), outcome = column("outcome");
  measure(setting);
  let served = 0;
  for (let task = 0; task < traffic.tasks; task += 1) if (outcome[task] === SERVED) served += 1;
  runs[policy.name] = policy === policies.at(-1) ? {} : Object.fromEntries(RUN.map((part) => [part, column(part).slice(0, traffic.tasks)]));
  return { ...found(GOT), fruitless: [fruitless], served: [served] };
}

function theRest({ setting, got }, { name }) {
  const { tenants, groups, step_s } = setting;
  if (!got) {
    for (const [part, values] of Object.entries(runs[name])) column(part).set(values);
    measure(setting);
  }
  column("group").set(tenants.map((t) => BigInt(t.row)));
  call("timeline", { tasks: traffic.tasks, groups, steps: stepsOf(setting), step_s, q: QUANTILE });
  return found(REST);
}

function answer(asked) {
  const { policies, got, rest } = asked, results = {};
  if (got) getTraffic(asked);
  if (rest) getFairStarts(asked);
  for (const policy of got ? policies : [...policies].reverse()) {
    results[policy.name] = { ...(got && whatTheyGot(asked, policy)), ...(rest && theRest(asked, policy)) };
  }
  const columns = Object.fromEntries((asked.columns || []).map((name) => [name, column(name).slice(0, traffic.tasks)]));
  return { tasks: traffic.tasks, results, columns };
}

onmessage = async ({ data }) => {
  if (data.wasm) {
    spec = data.spec;
    memory = new WebAssembly.Memory({ initial: 2 });
    engine = (await WebAssembly.instantiate(data.wasm, { env: { memory } })).instance.exports;
    postMessage({ ready: true });
    return;
  }
  try {
    postMessage(answer(data));
  } catch (error) {
    traffic.key = null;
    postMessage({ error: error.message });
  }
};

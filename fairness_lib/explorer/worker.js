// The engine, off the main thread: draws the traffic once a move, then runs and measures each
// policy on it. What has not changed since the last move is not computed again.

const KINDS = { Ints: BigInt64Array, Reals: Float64Array, Words: BigUint64Array, Bytes: Int8Array };
const MOST_WORKERS = 64;
const OUTPUTS = ["arrived", "completed", "outcomes", "fair_share_per_s", "x", "wait_s", "owed", "kept", "missed", "behind_s", "scalars"];

let memory, engine, spec, columns = {}, dims = {};
let traffic = { key: null, tasks: 0 }, results = {};

// Give every column its place; the traffic in the old places is lost.
function lay(wanted) {
  dims = wanted;
  let end = 8 * Math.ceil(engine.__heap_base.value / 8); // its own stack and constants lie below
  for (const parameters of Object.values(spec.arguments)) {
    for (const [name, type] of parameters) {
      if (!(type in KINDS)) continue;
      const [times, dimension, plus] = spec.sizes[name];
      const length = times * dims[dimension] + plus;
      if (columns[name]?.dims === dims) continue;
      columns[name] = { dims, type, length, at: end };
      end += 8 * Math.ceil((length * KINDS[type].BYTES_PER_ELEMENT) / 8);
    }
  }
  const more = Math.ceil((end - memory.buffer.byteLength) / 65536);
  if (more > 0) memory.grow(more);
  traffic.key = null;
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

function draw({ tenants, seed, burst, horizon_s }) {
  const rates = tenants.map((t) => pieces(t, burst, horizon_s));
  const all = rates.flat(), mean = all.reduce((sum, [from, to, rate]) => sum + rate * (to - from), 0);
  let room = Math.ceil(mean + 8 * Math.sqrt(mean) + 64);
  if (dims.tenants !== tenants.length || dims.pieces !== all.length || dims.tasks < room) {
    lay({ tenants: tenants.length, pieces: all.length, tasks: Math.ceil(1.3 * room), workers: MOST_WORKERS });
  }
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

// What fair sharing would have done: the same for all policies.
function share({ tenants, workers, window }) {
  const on = JSON.stringify([workers, window, tenants.map((t) => t.weight)]);
  if (traffic.shared === on) return;
  column("weight").set(tenants.map((t) => t.weight));
  column("cut_s").set(window);
  call("share_fairly", { tasks: traffic.tasks, tenants: tenants.length, workers });
  traffic.shared = on;
}

function run(setting, policy) {
  const { tenants, workers, horizon_s, objective_s } = setting, [from_s, to_s] = setting.window;
  const numbers = { ...policy, tasks: traffic.tasks, tenants: tenants.length, workers, horizon_s, objective_s, from_s, to_s };
  column("quantum_s").set(tenants.map((t) => policy.quantum_s * t.weight));
  column("quota_per_s").set(tenants.map((t) => t.quota_per_s));
  column("quota_burst").set(tenants.map((t) => t.quota_burst));
  call(policy.by_tenant ? "simulate_drr" : "simulate_fifo", numbers);
  const failed = call("measure", numbers);
  if (failed) throw new Error(failed === 1 ? "No task arrives in the measured time." : "No task finishes in the measured time.");
  const plain = (name) => Float64Array.from(column(name), Number);
  return Object.fromEntries(OUTPUTS.map((name) => [name, plain(name)]));
}

function answer(setting) {
  const { tenants, seed, burst, horizon_s, workers, window } = setting;
  const sources = tenants.map((t) => [t.name, t.rate_per_s, t.bursts, t.cost]);
  const key = JSON.stringify([seed, burst, horizon_s, sources]);
  const drawn = key !== traffic.key;
  if (drawn) {
    traffic = { key: null, tasks: draw(setting) };
    traffic.key = key;
    results = {};
  }
  share(setting);
  let runs = 0;
  for (const policy of setting.policies) {
    const quotas = policy.limited ? tenants.map((t) => [t.quota_per_s, t.quota_burst]) : 0;
    const on = JSON.stringify([workers, window, tenants.map((t) => t.weight), policy, quotas]);
    if (results[policy.name]?.key === on) continue;
    results[policy.name] = { key: on, ...run(setting, policy) };
    runs += 1;
  }
  return { tasks: traffic.tasks, drawn, runs, results: Object.fromEntries(setting.policies.map((p) => [p.name, results[p.name]])) };
}

onmessage = async ({ data }) => {
  if (data.wasm) {
    spec = data.spec;
    memory = new WebAssembly.Memory({ initial: 2 });
    engine = (await WebAssembly.instantiate(data.wasm, { env: { memory } })).instance.exports;
    postMessage({ ready: true });
    return;
  }
  const began = performance.now();
  try {
    postMessage({ id: data.id, ...answer(data.setting), ms: performance.now() - began });
  } catch (error) {
    postMessage({ id: data.id, error: error.message });
  }
};

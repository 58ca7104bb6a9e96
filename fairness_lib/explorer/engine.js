// A crew of workers a model, so that policies run beside each other. At most one request is on its
// way; of those that wait, only the newest is kept, so that what is drawn in the end belongs to the
// sliders' last position. A policy whose result cannot have changed is not run again.

const MOST_HANDS = 4, REST_MS = 700, SEEDS = 20;

export function hire(model, size) {
  const url = URL.createObjectURL(new Blob([model.get("worker")], { type: "text/javascript" }));
  const crew = Array.from({ length: size }, () => new Worker(url));
  URL.revokeObjectURL(url);
  const bytes = model.get("wasm"), wasm = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const one = (hand, message) => new Promise((done, fail) => {
    hand.onmessage = ({ data }) => (data.error ? fail(new Error(data.error)) : done(data));
    hand.onerror = (event) => fail(new Error(event.message || "the simulation could not be started"));
    hand.postMessage(message);
  });
  // Share the policies out to and fro, as the later ones take longer.
  const handOf = (place) => (Math.floor(place / size) % 2 ? size - 1 - (place % size) : place % size);
  return {
    ready: Promise.all(crew.map((hand) => one(hand, { wasm, spec: model.get("spec") }))),
    run: async (asked) => {
      const parts = crew.map((_, k) => asked.policies.filter((_, place) => handOf(place) === k));
      const asking = crew.flatMap((hand, k) => (parts[k].length ? [one(hand, { ...asked, policies: parts[k] })] : []));
      const ended = await Promise.allSettled(asking), failed = ended.find(({ status }) => status === "rejected");
      if (failed) throw failed.reason;
      return { ...ended[0].value, results: Object.assign({}, ...ended.map(({ value }) => value.results)) };
    },
    stop: () => crew.forEach((hand) => hand.terminate()),
  };
}

// The frame is on the screen, or will not be as nobody looks.
const painted = () => new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, 50);
});

export const trafficOf = ({ seed, burst, horizon_s, tenants }) =>
  JSON.stringify([seed, burst, horizon_s, tenants.map((t) => [t.name, t.rate_per_s, t.bursts, t.cost])]);
export const fairOf = ({ workers, window, tenants }, traffic) => JSON.stringify([workers, window, tenants.map((t) => t.weight), traffic]);
const resultOf = (policy, { tenants }, fair) => JSON.stringify([
  policy, policy.limited && tenants.map((t) => [t.quota_per_s, t.quota_burst]),
  policy.by_tenant && tenants.map((t) => t.stated), tenants.map((t) => t.row), fair,
]);

// What comes out for each tenant over many seeds, while nobody moves: the next move ends it.
function startNoise(model, found) {
  let timer = 0, crew = null, count = 0;
  const stop = () => {
    clearTimeout(timer);
    crew?.stop();
    crew = null;
    count += 1;
  };
  const begin = async (setting) => {
    const mine = count, ranges = {};
    crew = hire(model, 1);
    await crew.ready;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      if (mine !== count) return;
      const other = { ...setting, seed };
      const { results } = await crew.run({ setting: other, policies: setting.policies, key: trafficOf(other), got: true });
      for (const [name, { completed, wait_s }] of Object.entries(results)) {
        const range = (ranges[name] ??= { seeds: 0, completed: [], wait_s: [] });
        range.seeds += 1;
        completed.forEach((value, t) => widen(range.completed, t, value));
        for (let t = 0; t < completed.length; t += 1) widen(range.wait_s, t, wait_s[3 * t + 2]);
      }
    }
    if (mine !== count) return;
    stop();
    found(ranges);
  };
  return {
    stop,
    after: (setting) => {
      stop();
      timer = setTimeout(() => begin(setting).catch(() => {}), REST_MS); // a seed without tasks has no range
    },
  };
}

function widen(ranges, at, value) {
  if (value !== value) return;
  const [low, high] = ranges[at] || [Infinity, -Infinity];
  ranges[at] = [Math.min(low, value), Math.max(high, value)];
}

// `begun` gets what the tenants got, while the rest of the answer is still missing.
export function startEngine(model, { begun, done, failed, ranged }) {
  const most = model.get("compact") ? 2 : MOST_HANDS;
  const crew = hire(model, Math.max(1, Math.min(navigator.hardwareConcurrency || 2, most)));
  const noise = startNoise(model, (ranges) => ranged(ranges));
  let free = false, waiting = null, shared = null; // what the last answer's fair starts belong to
  const known = {};
  const pump = async () => {
    if (!free || !waiting) return;
    const [setting, began] = [waiting, performance.now()], key = trafficOf(setting), fair = fairOf(setting, key);
    [free, waiting] = [false, null];
    const keys = Object.fromEntries(setting.policies.map((p) => [p.name, resultOf(p, setting, fair)]));
    const policies = setting.policies.filter(({ name }) => known[name]?.key !== keys[name]);
    const answer = () => ({
      tasks: known[setting.policies[0].name].tasks, setting, runs: policies.length, ms: performance.now() - began,
      results: Object.fromEntries(setting.policies.map(({ name }) => [name, known[name].result])),
    });
    let fault = null;
    try {
      const take = async (got, rest) => {
        const { tasks, results } = await crew.run({ setting, policies, key, fair, got, rest });
        for (const [name, result] of Object.entries(results)) {
          known[name] = { key: rest && keys[name], tasks, result: { ...known[name]?.result, ...result } };
        }
      };
      if (policies.length && fair === shared) await take(true, true);
      else if (policies.length) {
        await take(true, false);
        begun(answer());
        await painted(); // a worker would take the core that paints
        await take(false, true);
        shared = fair;
      }
    } catch (error) {
      fault = error.message;
    }
    free = true;
    if (fault) failed(fault);
    else done(answer());
    if (waiting) pump();
    else if (!fault) noise.after(setting);
  };
  crew.ready.then(() => {
    free = true;
    pump();
  }, (error) => failed(error.message));
  return {
    ask: (setting) => {
      noise.stop();
      waiting = setting;
      pump();
    },
    stop: () => {
      noise.stop();
      crew.stop();
    },
  };
}

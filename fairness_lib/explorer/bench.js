// A worker that runs a reader's class in MicroPython, once; the page ends it when it takes too long.
// Before it stands MicroPython's own script.

const MOST_BYTES = 256 * 2 ** 20, HEAP = 32 * 2 ** 20, MOST_SAID = 100;

const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + 65536 * pages > MOST_BYTES) throw new RangeError("over the limit");
  return grow.call(this, pages);
};

onmessage = async ({ data: { wasm, loop, source, setting, columns } }) => {
  const began = performance.now(), times = [];
  let lines = 0;
  console.error = () => {}; // MicroPython's word on memory that it was refused
  try {
    const python = await loadMicroPython({
      heapsize: HEAP, url: `data:application/wasm;base64,${wasm}`, linebuffer: true,
      stdout: (text) => (lines += 1) <= MOST_SAID && postMessage({ printed: text.slice(0, 300) }),
    });
    for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "importScripts", "Worker"]) self[name] = undefined;
    for (const [name, values] of Object.entries(columns)) python.FS.writeFile(`/${name}`, new Uint8Array(values.buffer));
    python.FS.writeFile("/loop.py", loop);
    const ready = performance.now(), told = (task) => {
      times.push(performance.now());
      postMessage({ task });
    };
    python.globals.set("given", [source, setting, told]);
    python.runPython("import loop\nsaid = loop.answer(given[0], given[1], given[2])");
    const said = JSON.parse(python.globals.get("said"));
    const read = (name, Kind) => new Kind(python.FS.readFile(name).slice().buffer);
    const run = said.fault ? null : { start_s: read("/start_s", Float64Array), outcome: read("/outcome", Int8Array) };
    postMessage({ ...said, run, times, start_ms: ready - began, run_ms: performance.now() - ready });
  } catch (error) {
    postMessage({ fault: { kind: error.type || error.name, words: String(error.message), line: 0 } });
  }
};

// One worker a model. At most one request is on its way; of those that wait, only the newest is
// kept, so that what is drawn in the end belongs to the sliders' last position.

export function startEngine(model, { done, failed }) {
  const url = URL.createObjectURL(new Blob([model.get("worker")], { type: "text/javascript" }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  let ready = false, busy = null, waiting = null, count = 0;
  const pump = () => {
    if (!ready || busy || !waiting) return;
    [busy, waiting] = [waiting, null];
    worker.postMessage(busy);
  };
  worker.onerror = (event) => failed(event.message || "the simulation could not be started");
  worker.onmessage = ({ data }) => {
    if (data.ready) ready = true;
    else {
      const { setting } = busy;
      busy = null;
      pump();
      if (data.error) failed(data.error);
      else done({ ...data, setting });
    }
    pump();
  };
  const bytes = model.get("wasm"), wasm = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  worker.postMessage({ wasm, spec: model.get("spec") });
  return {
    ask: (setting) => {
      waiting = { id: ++count, setting };
      pump();
      return count;
    },
    stop: () => worker.terminate(),
  };
}

// The reader's own tenants: a table whose rows each stand for one tenant or for several alike.
import { html } from "./dom.js";
import { faultIn, short } from "./setting.js";

const COLUMNS = [
  ["name", "Tenant", "text"],
  ["count", "how many", "number"],
  ["rate_per_s", "tasks/s each", "number"],
  ["mean_ms", "mean cost, ms", "number"],
  ["weight", "weight", "number"],
  ["bursts", "bursts", "checkbox"],
  ["quota_per_s", "quota, tasks/s", "number"],
  ["quota_burst", "quota's burst", "number"],
];

const BIMODAL = 2; // has two costs, and no single field that could hold them

function shownIn(row, key) {
  if (key !== "mean_ms") return row[key];
  const { kind, mean_s, long_s, long_share } = row.cost;
  return short(1000 * (kind === BIMODAL ? mean_s + long_share * (long_s - mean_s) : mean_s), 9);
}

export function tenantTable(model) {
  const body = html("tbody"), fault = html("p", { class: "fl-fault", role: "alert" });
  const add = html("button", { type: "button", class: "fl-button" }, "Add a tenant");
  const root = html("details", { class: "fl-details" },
    html("summary", {}, "Tenants: change them, or put in your own"),
    html("div", { class: "fl-scroll", role: "region", "aria-label": "Tenants" },
      html("table", { class: "fl-table fl-tenants" },
        html("thead", {}, html("tr", {}, ...COLUMNS.map(([, label]) => html("th", { scope: "col" }, label)), html("td"))), body)),
    html("div", { class: "fl-buttons" }, add), fault,
    html("p", { class: "fl-note" }, "The burst factor multiplies the rate of those that burst. Quotas hold under “quota” and “DRR + quota”, weights under both DRRs and in the fair share."));

  let rows = [];

  const change = (wanted) => {
    fault.textContent = faultIn(wanted, model.get("burst"), model.get("horizon_s")) || "";
    if (fault.textContent) return;
    if (wanted.length === rows.length) rows = wanted; // the inputs show it already, and one of them has the focus
    model.set("tenants", wanted);
    model.save_changes();
  };
  const read = (rows, at, key, input) => {
    const value = { text: input.value.trim(), number: input.valueAsNumber, checkbox: input.checked ? [model.get("window")] : [] }[input.type];
    const changed = (row) => (key === "mean_ms" ? { cost: { ...row.cost, mean_s: value / 1000 } } : { [key]: value });
    return rows.map((row, i) => (i === at ? { ...row, ...changed(row) } : row));
  };
  const fill = () => {
    if (rows === model.get("tenants")) return;
    rows = model.get("tenants");
    body.replaceChildren(...rows.map((row, at) => {
      const remove = html("button", { type: "button", class: "fl-button", "aria-label": `Remove ${row.name}` }, "×");
      remove.addEventListener("click", () => change(rows.filter((_, i) => i !== at)));
      return html("tr", {}, ...COLUMNS.map(([key, label, type]) => {
        const input = html("input", { type, "aria-label": `${label}, row ${at + 1}`, min: type === "number" && "0", step: type === "number" && "any" });
        if (type === "checkbox") input.checked = row.bursts.length > 0;
        else input.value = shownIn(row, key);
        input.disabled = key === "mean_ms" && row.cost.kind === BIMODAL;
        input.addEventListener("change", () => change(read(rows, at, key, input)));
        return html("td", {}, input);
      }), html("td", {}, remove));
    }));
  };
  add.addEventListener("click", () => {
    let n = 1;
    while (rows.some((row) => row.name === `tenant-${String.fromCharCode(96 + n)}`) && n < 26) n += 1;
    const name = `tenant-${String.fromCharCode(96 + n)}`;
    const cost = rows[0]?.cost || { kind: 0, mean_s: 0.01, long_s: 0, long_share: 0 };
    change([...rows, { name, count: 1, rate_per_s: 20, weight: 1, bursts: [], quota_per_s: 40, quota_burst: 20, cost }]);
  });
  fill();
  return { root, fill };
}

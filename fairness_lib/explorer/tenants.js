// The reader's own tenants: a table whose rows each stand for one tenant or for several alike.
import { html, set } from "./dom.js";
import { dropPlace } from "./drop.js";
import { faultIn, short } from "./setting.js";

const COLUMNS = [
  ["name", "Tenant", "text"],
  ["count", "how many", "number"],
  ["rate_per_s", "tasks/s each", "number"],
  ["mean_ms", "mean cost, ms", "number"],
  ["stated_percent", "states, % of cost", "number"],
  ["weight", "weight", "number"],
  ["bursts", "bursts", "checkbox"],
  ["quota_per_s", "quota, tasks/s", "number"],
  ["quota_burst", "quota's burst", "number"],
];

const BIMODAL = 2; // has two costs, and no single field that could hold them
const NEW = { count: 1, rate_per_s: 20, weight: 1, bursts: [], quota_per_s: 40, quota_burst: 20, stated: 1 };
const EXPONENTIAL = { kind: 0, mean_s: 0.01, long_s: 0, long_share: 0 };

function shownIn(row, key) {
  if (key === "stated_percent") return short(100 * row.stated, 9);
  if (key !== "mean_ms") return row[key];
  const { kind, mean_s, long_s, long_share } = row.cost;
  return short(1000 * (kind === BIMODAL ? mean_s + long_share * (long_s - mean_s) : mean_s), 9);
}

export function tenantTable(model) {
  const body = html("tbody"), add = html("button", { type: "button", class: "fl-button" }, "Add a tenant");
  const fault = html("p", { class: "fl-fault", role: "alert", id: `fl-fault-${Math.random().toString(36).slice(2)}` });
  const root = html("details", { class: "fl-details" },
    html("summary", {}, "Tenants: change them, or put in your own"),
    html("div", { class: "fl-scroll fl-own", role: "region", "aria-label": "Tenants" },
      html("table", { class: "fl-table fl-tenants" },
        html("thead", {}, html("tr", {}, ...COLUMNS.map(([, label]) => html("th", { scope: "col" }, label)), html("td"))), body)),
    html("div", { class: "fl-buttons" }, add),
    html("p", { class: "fl-note" }, "The burst factor multiplies the rate of those that burst. Quotas hold under “quota” and “DRR + quota”; weights and stated costs count under both DRRs and SFQ, weights in the fair share too."));

  let rows = [];
  const change = (wanted, input = null) => {
    const wrong = faultIn(wanted, model.get("burst"), model.get("horizon_s"));
    for (const field of body.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
    fault.remove();
    if (wrong) {
      const place = input || add; // beside what was done
      place.after(fault);
      fault.textContent = wrong[2];
      if (input) {
        set(input, "aria-invalid", "true");
        set(input, "aria-describedby", fault.id);
      }
      return false;
    }
    if (wanted.length === rows.length) rows = wanted; // the inputs show it already, and one of them has the focus
    model.set("tenants", wanted);
    model.save_changes();
    return true;
  };
  // All rows as the inputs say, right or wrong: a second mistake does not hide the first.
  const read = () => rows.map((row, at) => {
    const input = (key) => body.rows[at].querySelector(`[data-key=${key}]`), number = (key) => input(key).valueAsNumber;
    const bursts = input("bursts").checked ? (row.bursts.length ? row.bursts : [model.get("window")]) : [];
    const mean_s = row.cost.kind === BIMODAL ? row.cost.mean_s : number("mean_ms") / 1000;
    return {
      ...row, name: input("name").value.trim(), count: number("count"), rate_per_s: number("rate_per_s"), weight: number("weight"),
      bursts, quota_per_s: number("quota_per_s"), quota_burst: number("quota_burst"), stated: number("stated_percent") / 100, cost: { ...row.cost, mean_s },
    };
  });
  const remove = (at) => {
    const button = body.rows[at].querySelector("button");
    if (change(rows.filter((_, i) => i !== at), button)) (body.rows[Math.min(at, body.rows.length - 1)]?.querySelector("button") || add).focus();
  };
  const fill = () => {
    if (rows === model.get("tenants")) return;
    rows = model.get("tenants");
    fault.remove();
    body.replaceChildren(...rows.map((row, at) => {
      const cross = html("button", { type: "button", class: "fl-button", "aria-label": `Remove ${row.name}` }, "×");
      cross.addEventListener("click", () => remove(at));
      return html("tr", {}, ...COLUMNS.map(([key, label, type]) => {
        const input = html("input", { type, "data-key": key, "aria-label": `${label}, row ${at + 1}`, min: type === "number" && "0", step: type === "number" && "any" });
        if (type === "checkbox") input.checked = row.bursts.length > 0;
        else input.value = shownIn(row, key);
        input.disabled = key === "mean_ms" && row.cost.kind === BIMODAL;
        input.addEventListener("change", () => change(read(), input));
        return html("td", { "data-label": label }, input);
      }), html("td", {}, cross));
    }));
  };
  add.addEventListener("click", () => {
    const named = (n) => `tenant-${String.fromCharCode(96 + n)}`;
    let n = 1;
    while (rows.some(({ name }) => name === named(n)) && n < 26) n += 1;
    change([...rows, { ...NEW, name: named(n), cost: rows[0]?.cost || EXPONENTIAL }], add);
  });
  root.append(dropPlace(root, (wanted, input) => {
    const before = rows;
    rows = []; // so that the inputs are made anew
    const holds = change(wanted, input);
    if (!holds) rows = before;
    return holds;
  }));
  fill();
  return { root, fill };
}

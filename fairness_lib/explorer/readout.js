// The numbers: a summary with a column a policy, and every tenant's figures to read and to copy.
import { html } from "./dom.js";
import { LABELS, verdicts, short, sum } from "./setting.js";

const JAIN = 1, MIN_X = 2, MIN_X_TENANT = 3, UNDER_SHARE_P99 = 4, WINDOW_UTILISATION = 6;
const WORST_BEHIND_P99 = 10, WORST_BEHIND_TENANT = 11;
const FULL = 2, QUOTA = 3;

const ms = (seconds) => (seconds === seconds ? `${(1000 * seconds).toFixed(seconds < 1 ? 1 : 0)} ms` : "–");
const rejected = (result, reason) => result.outcomes.filter((_, i) => i % 4 === reason).reduce((a, b) => a + b, 0);
const sign = (held) => (held === null ? "– nobody" : held ? "✓ met" : "✗ not met");
const grouped = new Intl.NumberFormat("en-US");
const count = (n) => grouped.format(n);

// Each row: what it shows, what that means, and how to say it of a result.
function summaryRows(tenants, window) {
  const length = window[1] - window[0];
  const top = (result) => result.arrived.indexOf(Math.max(...result.arrived));
  return [
    ["owed starts kept: 99 %", (r) => sign(verdicts(r, window).kept)],
    ["  how many of them", (r) => (sum(r.owed) ? `${(100 * sum(r.kept) / sum(r.owed)).toFixed(1)} %` : "–")],
    ["p99 behind fair start, worst", (r) => ms(r.scalars[WORST_BEHIND_P99])],
    ["  of tenant", (r) => tenants[r.scalars[WORST_BEHIND_TENANT]].name],
    ["F1: complete 97 %", (r) => sign(verdicts(r, window).F1)],
    ["F2: p99 below 50 ms", (r) => sign(verdicts(r, window).F2)],
    ["F3: none rejected", (r) => sign(verdicts(r, window).F3)],
    ["Jain index", (r) => r.scalars[JAIN].toFixed(3)],
    ["minimum x", (r) => r.scalars[MIN_X].toFixed(3)],
    ["  whose", (r) => tenants[r.scalars[MIN_X_TENANT]].name],
    ["p99 wait within share", (r) => ms(r.scalars[UNDER_SHARE_P99])],
    ["busiest tenant, tasks/s", (r) => (r.completed[top(r)] / length).toFixed(1)],
    ["workers busy", (r) => `${(100 * r.scalars[WINDOW_UTILISATION]).toFixed(1)} %`],
    ["rejected by quota", (r) => count(rejected(r, QUOTA))],
    ["rejected by a full queue", (r) => count(rejected(r, FULL))],
  ];
}

export function summary(tenants, policies, window) {
  const rows = summaryRows(tenants, window);
  const cells = rows.map(() => policies.map(() => html("td")));
  const root = html("table", { class: "fl-table fl-summary" },
    html("caption", {}, `Measured from second ${short(window[0])} to ${short(window[1])}; F1 to F3 are about tenants within their share`),
    html("thead", {}, html("tr", {}, html("td"), ...policies.map((p) => html("th", { scope: "col" }, LABELS[p])))),
    html("tbody", {}, ...rows.map(([name], i) => html("tr", {}, html("th", { scope: "row" }, name), ...cells[i]))));
  const update = (results, ghosts) => {
    rows.forEach(([, say], i) => policies.forEach((policy, j) => {
      const text = say(results[policy]), was = ghosts?.[policy] ? say(ghosts[policy]) : text, cell = cells[i][j];
      cell.textContent = text;
      cell.classList.toggle("fl-unmet", text.startsWith("✗"));
      if (was !== text) cell.append(html("span", { class: "fl-was" }, `was ${was}`));
    }));
  };
  return { root, update };
}

const HEAD = ["policy", "tenant", "arrived/s", "fair share/s", "completed/s", "x", "p50 wait (ms)", "p99 wait (ms)", "rejected: quota", "rejected: full"];

function tenantRows(tenants, policies, [from, to], results) {
  const length = to - from, fixed = (v, digits) => (v === v ? v.toFixed(digits) : "–");
  return policies.flatMap((policy) => tenants.map(({ name }, t) => {
    const r = results[policy];
    return [
      LABELS[policy], name, fixed(r.arrived[t] / length, 2), fixed(r.fair_share_per_s[t], 2), fixed(r.completed[t] / length, 2),
      fixed(r.x[t], 3), fixed(1000 * r.wait_s[3 * t], 2), fixed(1000 * r.wait_s[3 * t + 2], 2),
      String(r.outcomes[4 * t + QUOTA]), String(r.outcomes[4 * t + FULL]),
    ];
  }));
}

// Filled when it is opened, and as long as it is open.
export function fullTable() {
  const table = html("table", { class: "fl-table" }), said = html("span", { role: "status" });
  const copy = html("button", { type: "button", class: "fl-button" }, "Copy as text");
  const root = html("details", { class: "fl-details" }, html("summary", {}, "All numbers, tenant by tenant"),
    html("div", { class: "fl-buttons" }, copy, said),
    html("div", { class: "fl-scroll", tabindex: "0", role: "region", "aria-label": "All numbers, tenant by tenant" }, table));
  let rows = () => [], stale = true;
  const fill = () => {
    if (!root.open || !stale) return;
    stale = false;
    table.replaceChildren(
      html("thead", {}, html("tr", {}, ...HEAD.map((h) => html("th", { scope: "col" }, h)))),
      html("tbody", {}, ...rows().map((row) => html("tr", {}, html("th", { scope: "row" }, row[0] + " "), ...row.slice(1).map((v) => html("td", {}, v))))));
  };
  root.addEventListener("toggle", fill);
  copy.addEventListener("click", async () => {
    const text = [HEAD, ...rows()].map((row) => row.join("\t")).join("\n");
    said.textContent = (await copyText(text)) ? "Copied." : "Copying is not allowed here: select the table.";
  });
  const update = (tenants, policies, window, results) => {
    rows = () => tenantRows(tenants, policies, window, results);
    stale = true;
    fill();
  };
  return { root, update };
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = html("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

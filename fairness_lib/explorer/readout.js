// The numbers, folded: all measures with a column a policy, and every tenant's, to read and to copy.
import { html } from "./dom.js";
import { LABELS, grouped, short, sum } from "./setting.js";
import { inVain, judge, signed, FULL, OUTCOMES, QUOTA } from "./verdicts.js";

const JAIN = 1, MIN_X = 2, MIN_X_TENANT = 3, WORST_BEHIND_P99 = 10, WORST_BEHIND_TENANT = 11;

const ms = (s) => (s === s ? `${(1000 * s).toFixed(s < 1 ? 1 : 0)} ms` : "–");

// Each row: what it shows, and how to say it of a result and what is judged of it.
function summaryRows(tenants, [from, to]) {
  const busiest = (r) => r.arrived.indexOf(Math.max(...r.arrived)), by = (reason) => (_, { turned }) =>
    `${grouped(turned.within[reason])} within, ${grouped(turned.beyond[reason])} beyond`;
  return [
    ["owed starts kept: 99 %", (_, j) => signed(j.held.kept)],
    ["  how many of them", (r, j) => (sum(r.owed) ? `${(100 * j.kept).toFixed(1)} %` : "–")],
    ["p99 behind fair start, worst", (r) => ms(r.scalars[WORST_BEHIND_P99])],
    ["  of tenant", (r) => tenants[r.scalars[WORST_BEHIND_TENANT]].name],
    ["F1, within share: 97 % done", (_, j) => signed(j.held.F1)],
    ["F2, within share: p99 < 50 ms, none turned away by a full queue", (_, j) => signed(j.held.F2)],
    ["F3, within share: none rejected", (_, j) => signed(j.held.F3)],
    ["Jain index", (r) => r.scalars[JAIN].toFixed(3)],
    ["least part of a share (minimum x)", (r) => r.scalars[MIN_X].toFixed(3)],
    ["  whose", (r) => tenants[r.scalars[MIN_X_TENANT]].name],
    ["p99 wait within share", (_, j) => ms(j.wait_s)],
    ["busiest tenant, tasks/s", (r) => (r.completed[busiest(r)] / (to - from)).toFixed(1)],
    ["workers busy", (_, j) => `${(100 * j.busy).toFixed(1)} %`],
    ["rejected by quota, of those in share", by("quota")],
    ["rejected by a full queue, of those in share", by("full")],
    ["DRR's visits in vain per task (whole run)", (r) => (r.fruitless[0] ? short(inVain(r)) : "–")],
  ];
}

const scroller = (label, table) => html("div", { class: "fl-scroll", tabindex: "0", role: "region", "aria-label": label }, table);

// A fold whose content is made when it is opened, and as long as it is open.
function fold(title, make, ...before) {
  const root = html("details", { class: "fl-details" }, html("summary", {}, title), ...before);
  let content = null, stale = true;
  const fill = () => {
    if (!root.open || !stale) return;
    stale = false;
    const now = make();
    content?.remove();
    root.append((content = now));
  };
  root.addEventListener("toggle", fill);
  return { root, renew: () => {
    stale = true;
    fill();
  } };
}

function summaryTable({ tenants, window }, results, ghosts) {
  const policies = Object.keys(results), rows = summaryRows(tenants, window);
  const judged = Object.fromEntries(policies.map((p) => [p, judge(results[p], window)]));
  const cell = (say, policy) => {
    const text = say(results[policy], judged[policy]), ghost = ghosts?.[policy], was = ghost ? say(ghost, judge(ghost, window)) : text;
    return html("td", { class: text.startsWith("✗") && "fl-unmet" }, text, was === text ? "" : html("span", { class: "fl-was" }, `was ${was}`));
  };
  return html("table", { class: "fl-table fl-summary" },
    html("caption", {}, `Measured from second ${short(window[0])} to ${short(window[1])}; within share means: asking for no more than the fair share`),
    html("thead", {}, html("tr", {}, html("td"), ...policies.map((p) => html("th", { scope: "col" }, LABELS[p])))),
    html("tbody", {}, ...rows.map(([name, say]) => html("tr", {}, html("th", { scope: "row" }, name), ...policies.map((p) => cell(say, p))))));
}

export function measuresFold() {
  let now = null;
  const { root, renew } = fold("All measures, policy by policy", () => scroller("All measures, policy by policy", summaryTable(...now)));
  return { root, update: (...given) => {
    now = given;
    renew();
  } };
}

const HEAD = ["policy", "tenant", "arrived/s", "fair share/s", "completed/s", "x", "p50 wait (ms)", "p99 wait (ms)", "rejected: quota", "rejected: full"];

function tenantRows({ tenants, window: [from, to] }, results) {
  const length = to - from, fixed = (v, digits) => (v === v ? v.toFixed(digits) : "–");
  return Object.entries(results).flatMap(([policy, r]) => tenants.map(({ name }, t) => [
    LABELS[policy], name, fixed(r.arrived[t] / length, 2), fixed(r.fair_share_per_s[t], 2), fixed(r.completed[t] / length, 2),
    fixed(r.x[t], 3), fixed(1000 * r.wait_s[3 * t], 2), fixed(1000 * r.wait_s[3 * t + 2], 2),
    String(r.outcomes[OUTCOMES * t + QUOTA]), String(r.outcomes[OUTCOMES * t + FULL]),
  ]));
}

export function tenantsFold() {
  const said = html("span", { role: "status" }), copy = html("button", { type: "button", class: "fl-button" }, "Copy as text"), title = "All numbers, tenant by tenant";
  let now = null;
  const table = () => html("table", { class: "fl-table" },
    html("thead", {}, html("tr", {}, ...HEAD.map((h) => html("th", { scope: "col" }, h)))),
    html("tbody", {}, ...tenantRows(...now).map((row) => html("tr", {}, html("th", { scope: "row" }, `${row[0]} `), ...row.slice(1).map((v) => html("td", {}, v))))));
  const { root, renew } = fold(title, () => scroller(title, table()), html("div", { class: "fl-buttons" }, copy, said));
  copy.addEventListener("click", async () => {
    const text = [HEAD, ...tenantRows(...now)].map((row) => row.join("\t")).join("\n");
    said.textContent = (await copyText(text)) ? "Copied." : "Copying is not allowed here: select the table.";
  });
  return { root, update: (setting, results) => {
    now = [setting, results];
    renew();
  } };
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

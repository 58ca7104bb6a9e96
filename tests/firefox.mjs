// Drives Firefox by WebDriver BiDi: reads a list of steps as JSON, prints what they gave as JSON.
// Playwright drives only a Firefox of its own making.
import { readFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

const { executable, init, size, steps } = JSON.parse(readFileSync(0, "utf8"));
const browser = await puppeteer.launch({ browser: "firefox", executablePath: executable, headless: true });
const errors = [], requests = [], values = [];
try {
  const page = await browser.newPage();
  await page.setViewport(size);
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => /^(data|blob):/.test(request.url()) || requests.push(request.url()));
  await page.evaluateOnNewDocument(init);
  const does = {
    go: (address) => page.goto(address, { waitUntil: "domcontentloaded" }),
    wait: (expression) => page.waitForFunction(expression, { timeout: 30_000 }),
    press: async (selector, key) => {
      await page.$eval(selector, (node) => node.focus());
      await page.keyboard.press(key);
    },
    get: async (expression) => values.push(await page.evaluate(expression)),
  };
  for (const [what, ...how] of steps) await does[what](...how);
} finally {
  await browser.close();
}
console.log(JSON.stringify({ values, errors, requests }));

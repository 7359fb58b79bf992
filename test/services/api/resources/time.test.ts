import t from "tap"
import { timeForm, timeText } from "../../../../services/api/resources/time.ts"

/** Headers of callers, taken from the published clients. */
const CALLERS: [name: string, headers: Record<string, string>, form: "string" | "object"][] = [
  [
    "TypeScript, @turnkey/http",
    { "x-client-version": "@turnkey/http@6.6.0", "user-agent": "node" },
    "object",
  ],
  [
    "Python, turnkey-http 0.2.2",
    { "x-client-version": "turnkey-python/0.2.2", "user-agent": "python-requests/2.34.2" },
    "object",
  ],
  ["Go, go-sdk", { "x-client-version": "go-sdk/1.0.0", "user-agent": "Go-http-client/1.1" }, "object"],
  ["Go, go-sdk before it named itself", { "user-agent": "Go-http-client/1.1" }, "object"],
  ["Go over HTTP/2, behind a proxy", { "user-agent": "Go-http-client/2.0" }, "object"],
  ["Rust, turnkey_client 0.17.1", { "user-agent": "turnkey-rust-client/0.17.1" }, "object"],
  ["a script with Python's requests", { "user-agent": "python-requests/2.34.2" }, "string"],
  ["curl", { "user-agent": "curl/8.5.0" }, "string"],
  ["a browser", { "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" }, "string"],
  ["a program that only mentions them", { "user-agent": "mine/1 (Go-http-client/1.1)" }, "string"],
  ["no client", {}, "string"],
]

t.test(
  "published clients get the objects that they parse, other callers the document's strings",
  async (t) => {
    for (const [name, headers, form] of CALLERS) t.equal(timeForm(headers, "auto"), form, name)
  },
)

t.test("a setting forces either form for all callers", async (t) => {
  for (const [name, headers] of CALLERS) {
    t.equal(timeForm(headers, "string"), "string", name)
    t.equal(timeForm(headers, "object"), "object", name)
  }
})

t.test("both forms are the same moment", async (t) => {
  t.equal(timeText(1_700_000_000_007, "string"), '"2023-11-14T22:13:20.007Z"')
  t.equal(timeText(1_700_000_000_007, "object"), '{"seconds":"1700000000","nanos":"7000000"}')
})

// URLs of webhooks by their spelling, and hosts of the loopback.
import t from "tap"
import { isLoopbackAddress, isLoopbackHost, isWebhookUrl } from "../../../../signer/core/webhook/url.ts"

t.test("a URL is https to a public host, without user, password and fragment", async (t) => {
  for (const url of [
    "https://hooks.example.com",
    "HTTPS://hooks.example.com:8443/a?b=c",
    "https://93.184.215.14/",
  ])
    t.ok(isWebhookUrl(url, false), url)
  for (const url of [
    "http://hooks.example.com/",
    "https://user@hooks.example.com/",
    "https://:password@hooks.example.com/",
    "https://hooks.example.com/#",
    "https://hooks.example.com\\@10.0.0.1/",
    "https://[::/",
    "https://",
    "https://10.0.0.1/",
    "https://localhost/",
    "wss://hooks.example.com/",
    "",
  ])
    t.notOk(isWebhookUrl(url, false), url)
})

t.test("a URL parser would drop what stands around a URL: such a text is refused", async (t) => {
  for (const space of [" ", "\n", "\t", "\u0000"]) {
    t.notOk(isWebhookUrl(`${space}https://hooks.example.com/`, false), "before")
    t.notOk(isWebhookUrl(`https://hooks.example.com/${space === "\u0000" ? " " : space}`, false), "behind")
    if (space !== "\u0000") t.notOk(isWebhookUrl(`https://hooks.exa${space}mple.com/`, false), "inside")
  }
})

t.test("a URL has at most 2048 characters", async (t) => {
  const url = "https://hooks.example.com/".padEnd(2048, "a")
  t.ok(isWebhookUrl(url, false))
  t.notOk(isWebhookUrl(`${url}a`, false))
})

t.test("in development loopback hosts are allowed too, and nothing that looks like one", async (t) => {
  for (const url of [
    "http://localhost:1/",
    "http://127.10.200.3/",
    "https://[::1]:1/",
    "https://hooks.example.com/",
  ])
    t.ok(isWebhookUrl(url, true), url)
  for (const url of [
    "http://127.0.0.1.example.com/",
    "http://localhost.example.com/",
    "http://[::2]/",
    "http://10.0.0.1/",
    "http://user@localhost/",
  ])
    t.notOk(isWebhookUrl(url, true), url)
})

t.test("loopback hosts and addresses are those of their RFCs alone", async (t) => {
  for (const address of ["127.0.0.1", "127.255.255.254", "::1"]) t.ok(isLoopbackAddress(address), address)
  for (const address of [
    "126.0.0.1",
    "10.127.0.0.1",
    "127.0.0.1.1",
    "127.0.0",
    "::2",
    "[::1]",
    "localhost",
    "",
  ])
    t.notOk(isLoopbackAddress(address), address)
  for (const host of ["localhost", "127.0.0.1", "127.255.255.254", "[::1]"]) t.ok(isLoopbackHost(host), host)
  for (const host of ["x127.0.0.1", "127.0.0.1.example", "128.0.0.1", "::1", "[::2]", "local", ""])
    t.notOk(isLoopbackHost(host), host)
})

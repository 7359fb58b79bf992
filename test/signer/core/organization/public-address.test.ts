import t from "tap"
import { isPublicAddress, isPublicHost } from "../../../../signer/core/organization/public-address.ts"

t.test("addresses of the public internet", async (t) => {
  const open = ["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "192.169.0.1", "223.255.255.255"]
  for (const address of [...open, "2606:4700::1111", "2a00:1450::1"]) t.ok(isPublicAddress(address), address)
})

t.test("addresses that are not public", async (t) => {
  const closed = [
    ["0.0.0.0", "this host"],
    ["10.0.0.1", "private"],
    ["100.64.0.1", "carrier's"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["169.254.169.254", "link-local: metadata of clouds"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.0.0.170", "assignments"],
    ["192.0.2.1", "documentation"],
    ["192.168.1.1", "private"],
    ["198.18.0.1", "measurement"],
    ["224.0.0.1", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "mapped"],
    ["::ffff:8.8.8.8", "mapped"],
    ["64:ff9b::a00:1", "translated"],
    ["2001::1", "Teredo"],
    ["2001:db8::1", "documentation"],
    ["2002:7f00:1::", "6to4 around a loopback address"],
    ["3fff::1", "documentation"],
    ["fc00::1", "private"],
    ["fd00:ec2::254", "private: metadata of clouds"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local with zone"],
    ["ff02::1", "multicast"],
    ["no address", "none"],
  ]
  for (const [address = "", what] of closed) t.notOk(isPublicAddress(address), `${address}: ${what}`)
})

t.test("hosts of URLs that lead inside a network, however they are spelled", async (t) => {
  const inside = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "127.0.0.1.",
    "169.254.169.254",
    "10.0.0.8",
    "[::1]",
    "[::ffff:10.0.0.8]",
    "[::ffff:a00:8]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "localhost",
    "LocalHost.",
    "app.localhost",
    "printer.local",
    "metadata.google.internal",
    "nas.home.arpa",
    "database",
  ]
  for (const host of inside) t.notOk(isPublicHost(new URL(`https://${host}`).hostname), host)
  const outside = [
    "example.com",
    "example.com.",
    "8.8.8.8",
    "[2606:4700::1111]",
    "local.example",
    "10.example",
  ]
  for (const host of outside) t.ok(isPublicHost(new URL(`https://${host}`).hostname), host)
})

// Loaded into a process with --import: the test's stand-in for name service. TEST_HOSTS lists `name=address`, separated by
// commas.
import dns from "node:dns"
import type { LookupAddress, LookupOptions } from "node:dns"

const addresses = new Map(
  (process.env["TEST_HOSTS"] ?? "").split(",").map((entry) => {
    const [name = "", address = ""] = entry.split("=")
    return [name, address]
  }),
)
const { lookup } = dns.promises

dns.promises.lookup = (async (name: string, options?: LookupOptions): Promise<unknown> => {
  const address = addresses.get(name)
  if (address === undefined) return lookup(name, options ?? {})
  const found: LookupAddress = { address, family: 4 }
  return options?.all ? [found] : found
}) as typeof lookup

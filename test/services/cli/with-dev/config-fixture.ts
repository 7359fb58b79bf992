import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Test } from "tap"
import { devOrganization } from "./shared-dev.ts"

export const SECRET = "config-NotARealSecret"

/** Keys of a provider's test system; the secret one is in a file of its own. */
export const MOONPAY = {
  onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY",
  publishableApiKey: "pk_test_NotARealKey",
  sandboxMode: true,
}
const ON_RAMP_SECRET = "sk_test_NotARealKey0123456789"

/** A new organization with private key oracle, a file and a secret. */
export async function organizationWithFile(t: Test) {
  const made = await devOrganization(t)
  const { call, directory } = made
  t.match(await call("private-key", "create", "oracle", "--curve", "secp256k1"), { status: 0 })
  const file = join(directory, "organization.yaml")
  const secret = join(directory, "secret.txt")
  writeFileSync(secret, SECRET)
  const onRampSecret = join(directory, "on-ramp.txt")
  writeFileSync(onRampSecret, ON_RAMP_SECRET)
  const write = (value: object) => writeFileSync(file, JSON.stringify({ version: 1, ...value }))
  const apply = (...words: string[]) => call("config", "apply", file, "--yes", ...words)
  const ofOnRamp = ["--on-ramp-secret", `moonpay-sandbox=${onRampSecret}`]
  const ofClient = ["--client-secret", `x:app=${secret}`]
  return { ...made, file, write, apply, ofClient, ofOnRamp, withSecret: [...ofClient, ...ofOnRamp] }
}

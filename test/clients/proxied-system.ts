import { readFileSync } from "node:fs"
import { join } from "node:path"
import { encryptOtpCodeToBundle } from "@turnkey/crypto"
import { sharedProxiedSystem } from "../harness/shared-system.ts"
import type { TestKey } from "../harness/stamper.ts"
import type { Json } from "../harness/system.ts"

/** Origin of the page that may call. */
export const APP = "https://app.example.com"

/** The shared system with an auth proxy, which an organization of the caller's own has enabled, and an issuer. */
export async function proxiedSystem() {
  const { system, provider, proxyUrl } = await sharedProxiedSystem()
  const { organizationId, root } = await system.createOrganization()
  const submit = async (path: string, type: string, parameters: object) =>
    (await system.submit(path, system.body(type, organizationId, parameters), root))["result"] as Json
  const feature = { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" }
  await submit("set_organization_feature", "SET_ORGANIZATION_FEATURE", feature)
  await submit("enable_auth_proxy", "ENABLE_AUTH_PROXY", {})
  const settings = { allowedOrigins: [APP], sessionExpirationSeconds: 600, otpLength: 7 }
  const updated = await submit("update_auth_proxy_config", "UPDATE_AUTH_PROXY_CONFIG", settings)
  const { configId } = updated["updateAuthProxyConfigResult"] as { configId: string }
  const pins = (await system.send("/public/v1/pins", {})).json
  const fetcherKey = String(pins["fetcherPublicKey"]).slice(130)

  const post = async (operation: string, body: object, headers: { [name: string]: string } = {}) => {
    const usual = { "Content-Type": "application/json", "X-Auth-Proxy-Config-ID": configId, origin: APP }
    const request = { method: "POST", headers: { ...usual, ...headers }, body: JSON.stringify(body) }
    const reply = await fetch(`${proxyUrl}/v1/${operation}`, request)
    return { status: reply.status, headers: reply.headers, json: (await reply.json()) as Json }
  }
  /** The reply's members, of a request that must succeed. */
  const done = async (operation: string, body: object): Promise<{ [member: string]: string }> => {
    const { status, json } = await post(operation, body)
    if (status !== 200) throw new Error(`${operation} answered ${status}: ${JSON.stringify(json)}`)
    return json as { [member: string]: string }
  }
  const newestCode = () => {
    const lines = readFileSync(join(system.directory, "fetcher", "outbox.jsonl"), "utf8")
      .trim()
      .split("\n")
    const { text } = JSON.parse(lines.at(-1)!) as { text: string }
    return /\b[0-9A-Z]{7}\b/.exec(text)![0]
  }
  return {
    system,
    provider,
    organizationId,
    root,
    submit,
    post,
    done,
    newestCode,
    fetcherKey,
    notarizerKey: String(pins["notarizerPublicKey"]).slice(-130),
    /** A token for a code in clear, as clients of the first version ask for it. */
    async plainToken(contact: string, key: TestKey): Promise<string> {
      const { otpId } = await done("otp_init", { otpType: "OTP_TYPE_EMAIL", contact })
      const code = { otpId, otpCode: newestCode(), public_key: key.publicKeyHex }
      return (await done("otp_verify", code))["verificationToken"]!
    },
    /** A token for a code that is sealed by the published client. */
    async sealedToken(contact: string, { publicKeyHex }: TestKey): Promise<string> {
      const asked = await done("otp_init_v2", { otpType: "OTP_TYPE_EMAIL", contact })
      const { otpId, otpEncryptionTargetBundle: bundle } = asked
      const encryptedOtpBundle = await encryptOtpCodeToBundle(newestCode(), bundle!, publicKeyHex, fetcherKey)
      return (await done("otp_verify_v2", { otpId, encryptedOtpBundle }))["verificationToken"]!
    },
  }
}

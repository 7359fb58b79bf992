import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import { TurnkeyClient } from "@turnkey/http"
import { Turnkey } from "@turnkey/sdk-server"
import { type Hex, serializeSignature } from "viem"
import type { TestKey } from "../harness/stamper.ts"
import { privateKeyHex, type System } from "../harness/system.ts"

/** The server's SDK as its users set it up, only with another address. */
export function sdkOf(system: System, organizationId: string, key: TestKey) {
  const settings = { apiBaseUrl: system.url, ...keysOf(key), defaultOrganizationId: organizationId }
  return new Turnkey(settings).apiClient()
}

/** The older client, which leaves it to its caller to name type and time of an activity. */
export function httpOf(system: System, key: TestKey) {
  return new TurnkeyClient({ baseUrl: system.url }, new ApiKeyStamper(keysOf(key)))
}

/** A signature as Ethereum's libraries write it. */
export function toHex({ r, s, v }: { r: string; s: string; v: string }): Hex {
  return serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) })
}

function keysOf(key: TestKey) {
  return { apiPublicKey: key.publicKeyHex, apiPrivateKey: privateKeyHex(key) }
}

import type { StampingClient } from "./caller.ts"
import { newStampKey } from "./documents.ts"

const ACCOUNT = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
}
const accounts = [0, 1].map((index) => ({ ...ACCOUNT, path: `m/44'/60'/0'/0/${index}` }))
let created = 0

/** Parameters of a sub-organization with a wallet and two accounts; nothing in it was there before. */
function parameters(publicKey: string): object {
  const number = ++created
  return {
    subOrganizationName: `New customer ${number}`,
    rootUsers: [
      {
        userName: "customer",
        userEmail: `new-customer-${number}@bench.example`,
        apiKeys: [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
    wallet: { walletName: "First", accounts },
  }
}

/** Keys are not what is measured: they are made before the window, and each serves one sub-organization. */
export function makeKeys(count: number): string[] {
  return Array.from({ length: count }, () => newStampKey().publicKeyHex)
}

/** Creates a sub-organization with this key. @throws Error if it is refused */
export async function createCustomer(
  caller: StampingClient,
  parentId: string,
  publicKey: string,
): Promise<void> {
  const [path, type] = ["create_sub_organization", "CREATE_SUB_ORGANIZATION_V7"]
  const answer = await caller.submit(path, type, parentId, parameters(publicKey))
  if (!answer.text.includes("ACTIVITY_STATUS_COMPLETED"))
    throw new Error(`no sub-organization: ${answer.text}`)
}

/** Creates sub-organizations over as many connections for so long; how many a second. */
export async function createFor(
  caller: StampingClient,
  parentId: string,
  { seconds, connections, keys }: { seconds: number; connections: number; keys: string[] },
): Promise<{ perSecond: number; count: number }> {
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let count = 0
  const lane = async () => {
    while (performance.now() < endsAt) {
      await createCustomer(caller, parentId, keys.pop() ?? newStampKey().publicKeyHex)
      count++
    }
  }
  await Promise.all(Array.from({ length: connections }, lane))
  return { count, perSecond: (count * 1000) / (performance.now() - startedAt) }
}

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import { credentials } from "@grpc/grpc-js"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { SetupCodeSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { clientFor } from "../../proto/grpc-client.ts"
import type { Target } from "../load/target.ts"

/** A new organization of one user with one account, made through the public API. */
export async function makeOrganization(
  place: { host: string; port: number },
  operatorSocket: string,
): Promise<Target> {
  const { privateKey, publicKeyHex } = newApiKey()
  const setupCode = await askForSetupCode(operatorSocket, publicKeyHex)
  const { organizationId } = fromBinary(SetupCodeSchema, Buffer.from(setupCode, "base64url"))

  const submit = (path: string, type: string, parameters: object) =>
    submitAs({ ...place, organizationId, publicKeyHex, privateKey }, path, type, parameters)

  await submit("create_organization", "ACTIVITY_TYPE_CREATE_ORGANIZATION", {
    setupCode,
    organizationName: "Bench",
    rootUser: {
      userName: "root",
      apiKeys: [{ apiKeyName: "root", publicKey: publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
    },
  })
  const account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  }
  const wallet = await submit("create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", {
    walletName: "Bench",
    accounts: [account],
  })
  const [signWith] = wallet["addresses"] as string[]
  return {
    ...place,
    organizationId,
    signWith: signWith ?? "",
    publicKeyHex,
    privateKeyPem: writePem(privateKey),
  }
}

/** Creates a wallet with `count` Ethereum accounts. Returns their addresses. */
export async function addAccounts(target: Target, count: number): Promise<string[]> {
  const caller = { ...target, privateKey: createPrivateKey(target.privateKeyPem) }
  const { walletId } = await submitAs(caller, "create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", {
    walletName: `${count} accounts`,
    accounts: [],
  })
  const addresses: string[] = []
  for (let from = 0; from < count; from += ACCOUNTS_A_REQUEST) {
    const accounts = Array.from({ length: Math.min(ACCOUNTS_A_REQUEST, count - from) }, (_, at) => ({
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: `m/44'/60'/0'/0/${from + at}`,
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    }))
    const type = "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"
    const made = await submitAs(caller, "create_wallet_accounts", type, { walletId, accounts })
    addresses.push(...(made["addresses"] as string[]))
  }
  return addresses
}

const ACCOUNTS_A_REQUEST = 1_000

/** The same organization, with another user as the caller: no root user, allowed to sign by a policy. */
export async function addPolicyUser(target: Target): Promise<Target> {
  const caller = { ...target, privateKey: createPrivateKey(target.privateKeyPem) }
  const { privateKey, publicKeyHex } = newApiKey()
  const { userIds } = await submitAs(caller, "create_users", "ACTIVITY_TYPE_CREATE_USERS_V4", {
    users: [
      {
        userName: "by policy",
        userTags: [],
        authenticators: [],
        oauthProviders: [],
        apiKeys: [{ apiKeyName: "by policy", publicKey: publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
      },
    ],
  })
  const [userId] = userIds as string[]
  await submitAs(caller, "create_policy", "ACTIVITY_TYPE_CREATE_POLICY_V3", {
    policyName: "May sign",
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'SIGN'",
    consensus: `approvers.any(user, user.id == '${userId}')`,
    notes: "",
  })
  return { ...target, publicKeyHex, privateKeyPem: writePem(privateKey) }
}

type Caller = Pick<Target, "host" | "port" | "organizationId" | "publicKeyHex"> & { privateKey: KeyObject }

/** Submits an activity. Returns the only member of its result. */
async function submitAs(
  { host, port, organizationId, publicKeyHex, privateKey }: Caller,
  path: string,
  type: string,
  parameters: object,
): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters })
  const signature = sign("sha256", Buffer.from(body), privateKey).toString("hex")
  const stamp = { publicKey: publicKeyHex, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature }
  const reply = await fetch(`http://${host}:${port}/public/v1/submit/${path}`, {
    method: "POST",
    headers: { "x-stamp": Buffer.from(JSON.stringify(stamp)).toString("base64url") },
    body,
  })
  const text = await reply.text()
  const { activity } = JSON.parse(text) as { activity?: { status: string; result: object } }
  if (activity?.status !== "ACTIVITY_STATUS_COMPLETED") throw new Error(`${path} did not complete: ${text}`)
  return Object.values(activity.result)[0] as Record<string, unknown>
}

/** Requests to the floors: these know no organization, but the bodies have the same size. */
export function strangerFor(port: number): Target {
  const { privateKey, publicKeyHex } = newApiKey()
  return {
    host: "127.0.0.1",
    port,
    organizationId: "019a0000-0000-7000-8000-000000000000",
    signWith: `0x${"5a".repeat(20)}`,
    publicKeyHex,
    privateKeyPem: writePem(privateKey),
  }
}

async function askForSetupCode(operatorSocket: string, publicKey: string): Promise<string> {
  const client = clientFor(OperatorService, {
    address: `unix:${operatorSocket}`,
    credentials: credentials.createInsecure(),
    deadlineMs: 10_000,
  })
  try {
    return (await client.call.createSetupCode({ publicKey })).setupCode
  } finally {
    client.close()
  }
}

function writePem(key: KeyObject): string {
  return key.export({ format: "pem", type: "pkcs8" }).toString()
}

function newApiKey(): { privateKey: KeyObject; publicKeyHex: string } {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = createPublicKey(privateKey).export({ format: "jwk" })
  const isOdd = ((Buffer.from(y, "base64url").at(-1) ?? 0) & 1) === 1
  return { privateKey, publicKeyHex: `${isOdd ? "03" : "02"}${Buffer.from(x, "base64url").toString("hex")}` }
}

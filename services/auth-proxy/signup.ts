import { ApiError, GrpcCode } from "../common/api-error.ts"
import { requireCaptcha } from "./captcha.ts"
import { requireList, requireObject } from "./core-api.ts"
import type { ProxyRequest } from "./proxy-request.ts"

type Json = { readonly [member: string]: unknown }

/** Versions of create_sub_organization: of the second, identities may come without a token. */
export type SignupVersion = "V7" | "V8"

const DEFAULT_WALLET_NAME = "Default Wallet"

/** Address format and name of the curve for a wallet that is described by path and curve. */
const CURVES: { readonly [curve: string]: { curve: string; addressFormat: string } } = {
  CURVE_SECP256K1: { curve: "CURVE_SECP256K1", addressFormat: "ADDRESS_FORMAT_ETHEREUM" },
  CURVE_TYPE_SECP256K1: { curve: "CURVE_SECP256K1", addressFormat: "ADDRESS_FORMAT_ETHEREUM" },
  CURVE_ED25519: { curve: "CURVE_ED25519", addressFormat: "ADDRESS_FORMAT_SOLANA" },
  CURVE_TYPE_ED25519: { curve: "CURVE_ED25519", addressFormat: "ADDRESS_FORMAT_SOLANA" },
  CURVE_P256: { curve: "CURVE_P256", addressFormat: "ADDRESS_FORMAT_COMPRESSED" },
}

/**
 * Creates a sub-organization with one root user, from the members as they were sent.
 *
 * @throws ApiError 400, 403, 503; CoreRefusal
 */
export async function signup(request: ProxyRequest, version: SignupVersion): Promise<object> {
  const { clean: members, organization, nowMs } = request
  const { userEmail, userPhoneNumber, verificationToken, clientSignature, wallet } = members
  if (verificationToken === undefined) await requireCaptcha(request)
  const userName = members["userName"] ?? userEmail ?? userPhoneNumber ?? `user-${nowMs}`
  const rootUser = {
    userName,
    userEmail,
    userPhoneNumber,
    apiKeys: members["apiKeys"] ?? [],
    authenticators: members["authenticators"] ?? [],
    oauthProviders: members["oauthProviders"] ?? [],
  }
  const parameters = {
    subOrganizationName: members["organizationName"] ?? `sub-org-${nowMs}`,
    rootUsers: [rootUser],
    rootQuorumThreshold: 1,
    wallet: wallet === undefined ? undefined : walletOf(wallet as Json),
    verificationToken,
    clientSignature,
  }
  const type = `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_${version}`
  const proofs = wallet === undefined ? {} : { generateAppProofs: true }
  const { result, appProofs } = await organization.submit("create_sub_organization", type, parameters, proofs)
  const created = requireObject(result, `createSubOrganizationResult${version}`)
  const { subOrganizationId: organizationId, wallet: createdWallet } = created
  const [userId] = requireList(created, "rootUserIds")
  return { organizationId, userId, ...(createdWallet !== undefined && { wallet: createdWallet }), appProofs }
}

/** The wallet by its accounts, or by one path and curve. @throws ApiError 400 */
function walletOf({ walletName = DEFAULT_WALLET_NAME, accounts, mnemonicLength, path, curve }: Json): Json {
  const common = { walletName, mnemonicLength }
  if (path === undefined && curve === undefined) return { ...common, accounts: accounts ?? [] }
  const known = CURVES[String(curve)]
  if (accounts !== undefined || path === undefined || known === undefined) throw halfDescribed()
  return { ...common, accounts: [{ ...known, pathFormat: "PATH_FORMAT_BIP32", path }] }
}

function halfDescribed(): ApiError {
  return new ApiError(GrpcCode.invalidArgument, "wallet: name either accounts, or path and curve", {
    publicCode: "REQUEST_INVALID",
    field: "wallet",
  })
}

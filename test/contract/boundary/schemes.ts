import type { Test } from "tap"
import { type Answer, ApiClient, signParams, valueOf } from "../../harness/api-client.ts"
import type { Boundary } from "../../harness/boundary.ts"
import {
  CURVE_OF_SCHEME,
  curveKeyParams,
  MISNAMED,
  newCurveKey,
  SCHEMES,
  stampUnder,
} from "../../harness/scheme-keys.ts"
import { TYPE } from "./names.ts"

/** API keys of every curve, and the schemes they stamp with. */
export function schemes(t: Test, makeBoundary: (t: Test) => Promise<Boundary>): void {
  t.test("stamps of every scheme", async (t) => {
    const boundary = await makeBoundary(t)
    const client = new ApiClient(boundary)
    const acme = await client.createOrganization()
    const { organizationId, root, rootUserId: userId } = acme
    const { address } = await client.wallet(acme)
    const keys = SCHEMES.map((scheme) => ({ scheme, key: newCurveKey(CURVE_OF_SCHEME[scheme]) }))
    const apiKeys = keys.map(({ scheme, key }) => curveKeyParams(key, scheme))
    const made = await client.submit(root, TYPE("CREATE_API_KEYS_V2"), organizationId, { userId, apiKeys })
    t.equal(valueOf(made, "createApiKeysResult").apiKeyIds.length, SCHEMES.length)
    const signing = () => client.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))

    for (const { scheme, key } of keys) {
      t.test(`A4: a stamp of ${scheme} is accepted for its body and no other`, async (t) => {
        const body = signing()
        const stamp = stampUnder(key, scheme, body)
        for (const altered of [`${body} `, body.replace("00".repeat(32), "11".repeat(32))])
          t.equal(codeOf(await client.offer(altered, stamp)), "STAMP_INVALID")
        t.equal(codeOf(await client.offer(body, stamp)), "outcome")
        const stranger = stampUnder(newCurveKey(key.curveType), scheme, body)
        t.equal(codeOf(await client.offer(body, stranger)), "CREDENTIAL_UNKNOWN")
      })
    }

    t.test("A4: a stamp is refused under every scheme's name but its own", async (t) => {
      for (const { signed, claimed, code } of MISNAMED) {
        const body = signing()
        const { key } = keys.find(({ scheme }) => scheme === signed)!
        const answer = await client.offer(body, stampUnder(key, signed, body, claimed))
        t.equal(codeOf(answer), code, `${signed} as ${claimed}`)
      }
    })

    t.test("a key of secp256k1 stamps as programs do and as Ethereum wallets do", async (t) => {
      const [plain, wallets] = [
        "SIGNATURE_SCHEME_TK_API_SECP256K1",
        "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191",
      ] as const
      for (const { key } of keys.filter((one) => one.key.curveType === "API_KEY_CURVE_SECP256K1")) {
        for (const scheme of [plain, wallets]) {
          const body = signing()
          t.equal(codeOf(await client.offer(body, stampUnder(key, scheme, body))), "outcome")
        }
      }
    })
  })
}

function codeOf(answer: Answer): string {
  return answer.is === "refused" ? answer.code : answer.is
}

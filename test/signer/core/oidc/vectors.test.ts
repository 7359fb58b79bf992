import type { JsonWebKey } from "node:crypto"
import t from "tap"
import { readKeySet } from "../../../../signer/core/oidc/key-set.ts"
import { openIssuerKey } from "../../../../signer/core/oidc/keys.ts"
import { isSigned, readJws } from "../../../../signer/core/oidc/jws.ts"
import { publishedVectors } from "../../../harness/vectors.ts"

type Cookbook = { input: { key: JsonWebKey; alg: string }; output: { compact: string } }
type Wycheproof = {
  testGroups: {
    public?: JsonWebKey & { keys?: JsonWebKey[] }
    private?: JsonWebKey
    tests: { tcId: number; comment: string; jws: string; result: string }[]
  }[]
}

const COOKBOOK = ["4_1.rsa_v15_signature", "4_2.rsa-pss_signature", "4_3.ecdsa_signature"]

for (const name of COOKBOOK) {
  const { options, read } = publishedVectors<Cookbook>(`jose-cookbook/jws/${name}.json`)
  t.test(`verifies RFC 7520's ${name}`, options, async (t) => {
    const { input, output } = read()
    t.ok(isAccepted(output.compact, [input.key]))
    const [header, , signature] = output.compact.split(".")
    t.notOk(isAccepted([header, "e30", signature].join("."), [input.key]), "not over another payload")
  })
}

const refusedKinds = publishedVectors<Cookbook>("jose-cookbook/jws/4_4.hmac-sha2_integrity_protection.json")
t.test("refuses RFC 7520's signature under a shared secret", refusedKinds.options, async (t) => {
  const { input, output } = refusedKinds.read()
  t.throws(() => readJws(output.compact, "token"), { code: "OIDC_TOKEN_INVALID" })
  t.throws(() => readKeySet(Buffer.from(JSON.stringify({ keys: [input.key] }))), { code: "ISSUER_INVALID" })
})

const wycheproof = publishedVectors<Wycheproof>("wycheproof/json_web_signature_test.json")
t.test("accepts nothing that Wycheproof calls invalid", wycheproof.options, async (t) => {
  let accepted = 0
  for (const { public: publicKey, tests } of wycheproof.read().testGroups) {
    if (publicKey === undefined) continue // shared secrets
    for (const { tcId, comment, jws, result } of tests) {
      const isTaken = isAccepted(jws, publicKey.keys ?? [publicKey])
      if (result !== "valid") t.notOk(isTaken, `${tcId}: ${comment}`)
      else if (isTaken) accepted += 1
    }
  }
  t.ok(accepted > 5, `${accepted} valid ones are accepted`)
})

function isAccepted(compact: string, keys: readonly JsonWebKey[]): boolean {
  try {
    const jws = readJws(compact, "token")
    const set = readKeySet(Buffer.from(JSON.stringify({ keys })))
    const opened = set.flatMap((key) => openIssuerKey(key) ?? [])
    return isSigned(jws, opened, "token")
  } catch (error) {
    if (error instanceof Error && "code" in error) return false
    throw error
  }
}

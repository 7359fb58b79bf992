import fc from "fast-check"
import t from "tap"
import { AddressFormat } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { addressOf } from "../../../../../signer/enclave/keys/address/index.ts"
import type { Curve } from "../../../../../signer/core/crypto/curve.ts"
import { Secret } from "../../../../../signer/core/crypto/secret.ts"
import { SigningKey } from "../../../../../signer/enclave/keys/signing-key.ts"
import { judges } from "./judges.ts"

const SEED = 20_251_121
const KEYS = 40

function publicKeyOf(curve: Curve, privateKey: Uint8Array): SigningKey | undefined {
  try {
    return new SigningKey({ curve, secret: Secret.copyOf(privateKey) })
  } catch {
    return undefined // no key of this curve
  }
}

t.test("every address format but Spark's is compared with a library of its chain", async (t) => {
  const formats = Object.keys(AddressFormat).filter((name) => /^[A-Z]/.test(name))
  t.strictSame(
    formats.filter((name) => !judges.has(name)),
    ["UNSPECIFIED", "SPARK_MAINNET", "SPARK_REGTEST"],
  )
})

for (const [format, all] of judges) {
  for (const { curve, address } of all) {
    t.test(`${format} on ${curve}: the chain's own library writes the same address for any key`, async () => {
      const keys = fc.uint8Array({ minLength: 32, maxLength: 32 })
      const same = fc.asyncProperty(keys, async (privateKey) => {
        const key = publicKeyOf(curve, privateKey)
        fc.pre(key !== undefined)
        const [ours, theirs] = [addressOf(`ADDRESS_FORMAT_${format}`, key), await address(privateKey)]
        if (ours !== theirs) throw new Error(`${ours} is ${theirs} there`)
      })
      await fc.assert(same, { seed: SEED, numRuns: KEYS })
    })
  }
}

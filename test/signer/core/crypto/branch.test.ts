import t from "tap"
import { hkdf } from "@noble/hashes/hkdf.js"
import { sha512 } from "@noble/hashes/sha2.js"
import { deriveBranch } from "../../../../signer/core/crypto/branch.ts"
import { dangerouslyRevealHex, fromHex, secretOf, toHex } from "../../enclave/keys/tools.ts"

const ROOT = "00".repeat(31) + "01"

t.test("a branch is HKDF-SHA512 under our salt, as another implementation computes it", async (t) => {
  const branch = deriveBranch(secretOf(ROOT), "seal")
  const expected = hkdf(sha512, fromHex(ROOT), Buffer.from("countersign/v1/branch"), Buffer.from("seal"), 32)
  t.equal(dangerouslyRevealHex(branch), toHex(expected))
})

t.test("branches keep their value from release to release", async (t) => {
  t.equal(
    dangerouslyRevealHex(deriveBranch(secretOf(ROOT), "seal")),
    "f1a617628e6c4688352c11816cd319c7903627b4509073adc78360fcb1d60063",
  )
})

t.test("another name or another root gives another branch", async (t) => {
  const all = [
    deriveBranch(secretOf(ROOT), "seal"),
    deriveBranch(secretOf(ROOT), "notarize"),
    deriveBranch(secretOf("ff".repeat(32)), "seal"),
  ].map(dangerouslyRevealHex)
  t.equal(new Set(all).size, 3)
})

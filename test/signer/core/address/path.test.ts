import t from "tap"
import { derivedIndices, HARDENED, parsePath } from "../../../../signer/core/address/path.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { refusalOf } from "../../enclave/keys/tools.ts"

const own = ownVectors<{ valid: string[]; refused: { why: string; path: string }[] }>("paths")

t.test("reads paths and keeps their text", async (t) => {
  for (const text of own.valid) {
    t.equal(parsePath(text).text, text)
    t.equal(spelled(derivedIndices("CURVE_SECP256K1", parsePath(text))), text)
  }
  t.strictSame(parsePath("m/44'/0/2147483647'").indices, [0x8000002c, 0, 0xffffffff])
})

t.test("refuses everything else and names the member", async (t) => {
  for (const { why, path } of own.refused) {
    t.match(
      refusalOf(() => parsePath(path, "parameters.accounts[1].path")),
      {
        code: "PATH_INVALID",
        field: "parameters.accounts[1].path",
        message: /^invalid path/,
      },
      why,
    )
  }
  t.equal(refusalOf(() => parsePath(`m/${"9".repeat(100_000)}`))?.code, "PATH_INVALID")
  t.equal(refusalOf(() => parsePath("m/0\n"))?.code, "PATH_INVALID")
})

t.test("takes 255 parts of the longest kind", async (t) => {
  t.equal(parsePath(`m${"/2147483647'".repeat(255)}`).indices.length, 255)
})

t.test("on Ed25519 all spellings of one key have one derived path", async (t) => {
  const spellings = ["m/44'/501'/0'/0", "m/44'/501'/0'/0'", "m/44/501/0/0"]
  const derived = spellings.map((text) => spelled(derivedIndices("CURVE_ED25519", parsePath(text))))
  t.strictSame(new Set(derived), new Set(["m/44'/501'/0'/0'"]))
  t.equal(spelled(derivedIndices("CURVE_P256", parsePath("m/44'/501'/0'/0"))), "m/44'/501'/0'/0")
})

function spelled(indices: readonly number[]): string {
  return ["m", ...indices.map((index) => (index >= HARDENED ? `${index - HARDENED}'` : `${index}`))].join("/")
}

import { hkdfSync } from "node:crypto"
import t from "tap"
import { mailedKey } from "../../../../signer/enclave/keys/mailed-key.ts"
import { dangerouslyRevealHex, secretOf } from "./tools.ts"

const BRANCH = "11".repeat(32)
const PLACE = { organizationId: "aaaaaaaa-0000-4000-8000-00000000000b", fingerprint: "22".repeat(32) }

const keyFor = (place = PLACE, branch = BRANCH) =>
  dangerouslyRevealHex(mailedKey(secretOf(branch), place).secret)

/** field(x) = length(4, BE) || x. */
function field(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, Buffer.from(text)])
}

t.test(
  "a mailed key is HKDF-SHA512 of the branch over the organization, the activity and the draw",
  async (t) => {
    const info = Buffer.concat([PLACE.organizationId, PLACE.fingerprint, "0"].map(field))
    const drawn = hkdfSync("sha512", Buffer.from(BRANCH, "hex"), "countersign/v1/mailed-key", info, 32)
    t.equal(keyFor(), Buffer.from(drawn).toString("hex"))
    t.equal(keyFor(), keyFor(), "the same whenever it is made")
  },
)

t.test("every organization, activity and seed has a key of its own", async (t) => {
  const { organizationId, fingerprint } = PLACE
  const keys = [
    keyFor(),
    keyFor({ organizationId: organizationId.replace("b", "c"), fingerprint }),
    keyFor({ organizationId, fingerprint: "23".repeat(32) }),
    keyFor({ organizationId: `${organizationId}2`, fingerprint: fingerprint.slice(1) }),
    keyFor(PLACE, "12".repeat(32)),
  ]
  t.equal(new Set(keys).size, keys.length)
})

import { generateMnemonic } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import t from "tap"
import { keyIn } from "../../../services/dashboard/api/enter.ts"
import { readMnemonic } from "../../../services/dashboard/api/mnemonic.ts"
import { organizationOfHandle, userHandle } from "../../../services/dashboard/api/user-handle.ts"

const ORGANIZATION = "6f0b7c1e-1111-4222-8333-444455556666"
const KEY = "ab".repeat(32)

t.test("C-1824: words and checksum of a mnemonic are checked, and no sentence repeats a word", async (t) => {
  for (const strength of [128, 160, 192, 224, 256]) {
    const words = generateMnemonic(wordlist, strength)
    t.equal(readMnemonic(`  ${words.toUpperCase().replaceAll(" ", "\n ")} `, "encryptedBundle"), words)
  }
  const about = `${"abandon ".repeat(11)}about`
  const faultOf = (text: string) => {
    try {
      return readMnemonic(text, "encryptedBundle")
    } catch (error) {
      const { message, field } = error as { message: string; field: string }
      t.equal(field, "encryptedBundle")
      return message
    }
  }
  t.equal(faultOf(about), about)
  t.equal(
    faultOf(about.replace("about", "abuot")),
    "Word 12 is not in the English list: look for a typing error. Nothing was sent.",
  )
  t.match(faultOf("zz ".repeat(12)), /^Words 1, 2, 3, 4 and 8 more are not/)
  t.match(faultOf(about.replace("abandon abandon", "abadon abadon")), /^Words 1 and 2 are not/)
  t.match(faultOf("abandon ".repeat(11)), /has 12, 15, 18, 21 or 24 words; this has 11/)
  t.match(faultOf("abandon ".repeat(12)), /^The checksum does not fit/)
  t.match(faultOf(""), /this has 0/)
})

t.test(
  "C-1822, W157: a passkey's user handle names its organization, and only one of these pages does",
  async (t) => {
    const handle = userHandle(ORGANIZATION)
    t.ok(handle.length <= 64, "WebAuthn, 5.4.3")
    t.equal(organizationOfHandle(handle), ORGANIZATION)
    t.notSame(userHandle(ORGANIZATION), handle, "another passkey replaces none")
    t.equal(organizationOfHandle(handle.subarray(1)), undefined)
    t.equal(organizationOfHandle(handle.with(0, 0)), undefined)
    t.equal(organizationOfHandle(new Uint8Array(0)), undefined)
  },
)

t.test("C-1821: a pasted text gives the key and the organization that it names", async (t) => {
  t.same(keyIn(` ${KEY}\n`), { privateKey: KEY, organizationId: undefined })
  const file = `BASE_URL=http://localhost\nORGANIZATION_ID="${ORGANIZATION.toUpperCase()}"\nAPI_PRIVATE_KEY=${KEY}\n`
  for (const text of [file, file.replaceAll("\n", " ")])
    t.same(keyIn(text), { privateKey: KEY, organizationId: ORGANIZATION })
  const other = `SUB_ORGANIZATION_ID=11111111-1111-4222-8333-444455556666 API_PRIVATE_KEY=${KEY}`
  t.equal(keyIn(other).organizationId, undefined)
})

import { createHmac } from "node:crypto"
import t from "tap"
import { isRecordMac, macRecord, openMacKey } from "../../../../signer/enclave/keys/record-mac.ts"
import { fromHex, secretOf, toHex } from "./tools.ts"

const KEY = "22".repeat(32)
const bytes = (text: string) => Buffer.from(text)

t.test("a record MAC is HMAC-SHA256 over length-prefixed domain and parts", async (t) => {
  const input = Buffer.from("00000001_64_00000002_6162_00000000".replaceAll("_", ""), "hex")
  const expected = createHmac("sha256", fromHex(KEY)).update(input).digest("hex")
  t.equal(toHex(macRecord(fromHex(KEY), "d", bytes("ab"), bytes(""))), expected)
  t.equal(toHex(macRecord(openMacKey(secretOf(KEY)), "d", bytes("ab"), bytes(""))), expected)
})

t.test("a record MAC verifies its own parts and no others", async (t) => {
  const key = openMacKey(secretOf(KEY))
  const mac = macRecord(key, "d", bytes("ab"), bytes("c"))
  t.ok(isRecordMac(mac, key, "d", bytes("ab"), bytes("c")))
  t.notOk(isRecordMac(mac, key, "d", bytes("a"), bytes("bc")), "a byte moved to the next part")
  t.notOk(isRecordMac(mac, key, "d", bytes("abc")), "parts joined")
  t.notOk(isRecordMac(mac, key, "d", bytes("ab"), bytes("c"), bytes("")), "an empty part more")
  t.notOk(isRecordMac(mac, key, "dab", bytes("c")), "domain and part joined")
  t.notOk(isRecordMac(mac, key, "e", bytes("ab"), bytes("c")), "another domain")
  t.notOk(
    isRecordMac(mac, openMacKey(secretOf("33".repeat(32))), "d", bytes("ab"), bytes("c")),
    "another key",
  )
})

t.test("a record MAC that is too short, too long or altered is refused", async (t) => {
  const key = fromHex(KEY)
  const mac = macRecord(key, "d", bytes("x"))
  t.notOk(isRecordMac(mac.subarray(0, 31), key, "d", bytes("x")))
  t.notOk(isRecordMac(Uint8Array.of(...mac, 0), key, "d", bytes("x")))
  t.notOk(isRecordMac(new Uint8Array(0), key, "d", bytes("x")))
  t.notOk(isRecordMac(Uint8Array.of((mac[0] as number) ^ 1, ...mac.subarray(1)), key, "d", bytes("x")))
})

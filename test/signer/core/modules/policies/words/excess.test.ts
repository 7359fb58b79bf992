import t from "tap"
import {
  type ExceededControl,
  excessSentence,
} from "../../../../../../signer/core/modules/policies/words/excess.ts"

const DAILY: ExceededControl = {
  velocityControlId: "0198c0de-0000-7000-8000-000000000001",
  identifier: "daily",
  name: "Daily spending",
  threshold: "0.2",
  total: "0.3",
  exceededBy: "0.1",
  freesAt: "2026-01-02T00:00:00.000Z",
  unknownAmountBy: "",
  assets: ["eip155:1"],
  isSum: true,
  windowSeconds: "86400",
  groupBy: "wallet",
}

t.test("an excess names the new sum with its unit, the time, the threshold and what to do", (t) => {
  t.equal(
    excessSentence(DAILY),
    "Velocity control daily: this request would bring the sum of transfers of the wallet in 1 day to 0.3 ETH; " +
      "the threshold is 0.2 ETH. The same request fits at 2026-01-02T00:00:00.000Z: wait until then, or move less.",
  )
  t.match(
    excessSentence({ ...DAILY, freesAt: "" }),
    /The same request never fits: move less, or have a root user replace the control\.$/,
  )
  t.match(
    excessSentence({ ...DAILY, total: "0.2", exceededBy: "0" }),
    /to 0\.2 ETH; the threshold 0\.2 ETH must not be reached\./,
  )
  t.end()
})

t.test("an excess names the asset where it has no single currency", (t) => {
  const unit = (assets: string[]) => / to 0\.3 (.+); /.exec(excessSentence({ ...DAILY, assets }))?.[1]
  t.equal(unit(["eip155:1", "eip155:8453"]), "ETH")
  t.equal(unit(["solana:mainnet"]), "SOL")
  t.equal(unit(["tron:mainnet"]), "TRX")
  t.equal(unit(["bip122:000000000019d6689c085ae165831e93"]), "BTC")
  t.equal(unit(["eip155:1/0xab"]), "of eip155:1/0xab")
  t.equal(unit(["eip155:1", "eip155:137"]), "of eip155:1 and eip155:137")
  t.equal(unit(["eip155:999999"]), "of eip155:999999")
  t.end()
})

t.test("an excess of a number has no unit, and time in its largest unit", (t) => {
  const count: ExceededControl = {
    ...DAILY,
    isSum: false,
    total: "4",
    threshold: "3",
    exceededBy: "1",
    groupBy: "user",
  }
  t.equal(
    excessSentence({ ...count, assets: [], windowSeconds: "5400", groupBy: "organization" }),
    "Velocity control daily: this request would bring the number of activities of the organization in 90 minutes to 4; " +
      "the threshold is 3. The same request fits at 2026-01-02T00:00:00.000Z: wait until then.",
  )
  t.match(
    excessSentence({ ...count, windowSeconds: "" }),
    /number of transfers of the user since the control/,
  )
  t.match(
    excessSentence({ ...count, assets: [], windowSeconds: "", groupBy: "" }),
    /would bring its number to 4;/,
  )
  t.match(excessSentence({ ...count, windowSeconds: "7" }), / in 7 seconds to 4;/)
  t.match(excessSentence({ ...count, windowSeconds: "0.5" }), / in 0\.5 seconds to 4;/)
  t.match(excessSentence({ ...count, freesAt: "" }), /never fits: have a root user replace the control\.$/)
  t.end()
})

t.test("an excess by an unknown amount names the function", (t) => {
  t.equal(
    excessSentence({ ...DAILY, unknownAmountBy: "function 0x12345678" }),
    "Velocity control daily counts function 0x12345678 as more than any threshold: its amount is not known. " +
      "The same request never fits: use a call that states its amount.",
  )
  t.end()
})

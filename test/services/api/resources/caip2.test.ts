import t from "tap"
import { AddressFormat } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { caip2Namespace } from "../../../../services/api/resources/caip2.ts"

t.test("an account of one CAIP-2 namespace names it, and no other account does", async (t) => {
  for (const [format, namespace] of [
    [AddressFormat.ETHEREUM, "eip155"],
    [AddressFormat.SOLANA, "solana"],
    [AddressFormat.BITCOIN_MAINNET_P2PKH, "bip122"],
    [AddressFormat.BITCOIN_REGTEST_P2TR, "bip122"],
    [AddressFormat.DOGE_TESTNET, "bip122"],
    [AddressFormat.COSMOS, "cosmos"],
    [AddressFormat.SEI, "cosmos"],
    [AddressFormat.XLM, "stellar"],
    [AddressFormat.APTOS, "aptos"],
    [AddressFormat.COMPRESSED, undefined],
    [AddressFormat.UNCOMPRESSED, undefined],
    [AddressFormat.TRON, undefined],
    [AddressFormat.TON_V5R1, undefined],
    [AddressFormat.UNSPECIFIED, undefined],
  ] as const) {
    t.equal(caip2Namespace(format), namespace, `format ${format}`)
  }
})

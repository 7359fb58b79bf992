// Keys of wallets that a rehearsal of a backup signs with.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordKind, WalletAccountRecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { rehearseKeys } from "../../../signer/enclave/rehearsal-keys.ts"
import { ethereumAccount, solanaAccount } from "../../harness/api-client.ts"
import { asRoot, setup } from "../../hostile/setup.ts"

const p256 = {
  curve: "CURVE_P256",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/0'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_COMPRESSED",
}
const taproot = { ...p256, curve: "CURVE_SECP256K1", addressFormat: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR" }

t.test(
  "W129: one key of each curve of each organization signs, and deleted ones are passed over",
  async (t) => {
    const fixture = await setup(t)
    const { client, boundary, walletId } = fixture
    const { submit } = asRoot(fixture)
    const accounts = [taproot, ethereumAccount(1), solanaAccount(0), p256]
    await submit("CREATE_WALLET", { walletName: "Three curves", accounts })
    await client.wallet(await client.createOrganization(), "Second")
    await submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    const { organizations, signatures, curves } = rehearseKeys(boundary.signer.state())
    t.ok(organizations >= 2)
    t.equal(signatures, 4)
    t.strictSame(new Set(curves), new Set(["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"]))
  },
)

t.test("W129: a key that is not that of the account's public half is named", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const other = await client.wallet(acme, "Other")
  const state = boundary.signer.state()
  const accountsOf = (address: string) =>
    [...state.ledger.rows(acme.organizationId, "wallet-account")]
      .map(({ key }) => key.split("/")[1] ?? "")
      .map((id) => state.archive.open(acme.organizationId, { kind: RecordKind.WALLET_ACCOUNT, id }))
      .map(({ payload }) => fromBinary(WalletAccountRecordSchema, payload))
      .find((account) => account.address === address)!
  const { publicKey } = accountsOf(other.address)
  const archive = {
    open(...words: Parameters<typeof state.archive.open>) {
      const record = state.archive.open(...words)
      if (record.kind !== RecordKind.WALLET_ACCOUNT) return record
      const account = fromBinary(WalletAccountRecordSchema, record.payload)
      if (account.address === other.address) return record
      const payload = toBinary(
        WalletAccountRecordSchema,
        create(WalletAccountRecordSchema, { ...account, publicKey }),
      )
      return { ...record, payload }
    },
  } as typeof state.archive
  t.throws(() => rehearseKeys({ ...state, archive }), {
    message: /^the key of wallet account 0x\w+ of organization \S+ does not sign for its public key$/,
  })
})

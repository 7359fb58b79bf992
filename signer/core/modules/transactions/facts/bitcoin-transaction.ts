import { TransactionType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { addressOfScript, type BitcoinNetwork, bitcoinNetworks } from "../../../address/bitcoin.ts"
import { canonicalAddress } from "../../../address/canonical.ts"
import { refuse } from "../../../refusal.ts"
import { bitcoinSchemeOf, readBitcoinTransaction } from "../../../transaction/bitcoin/transaction.ts"
import { requireKeyOn } from "../../../transaction/refusal.ts"
import { readUnsigned } from "../../../transaction/unsigned.ts"
import { type Members, members } from "../../../policy/expression.ts"
import type { UnsignedTransaction } from "../../../policy/facts/declared.ts"
import type { Holdings, KeyFacts } from "../../../policy/facts/holdings.ts"

/**
 * The root `bitcoin.tx` of a PSBT to be signed; undefined for a transaction of another chain.
 * @throws Fault transaction, TRANSACTION_KEY_UNFIT, BITCOIN_NETWORK_UNKNOWN and the refusals of `holdings`
 */
export function bitcoinTransactionRoot({ unsigned, holdings }: Item): Members | undefined {
  if (unsigned?.type !== TransactionType.BITCOIN) return undefined
  const { text, signWith } = unsigned
  const bytes = readUnsigned(text)
  const transaction = readBitcoinTransaction(bytes, bitcoinSchemeOf(signWith))
  const { version, inputs, outputs, locktime, fee } = transaction
  const { key } = holdings()
  requireKeyOn("CURVE_SECP256K1", key, "Bitcoin")
  const network = requireNetwork(key?.addresses ?? [], canonicalAddress(signWith))
  return members({
    version: String(version),
    inputs: inputs.map(({ transactionId, outputIndex, sequence }) =>
      members({ tx_id: transactionId, vout: BigInt(outputIndex), sequence: BigInt(sequence) }),
    ),
    outputs: outputs.map(({ value, script }) => {
      const { address, type } = addressOfScript(script, network) ?? { address: "", type: "" }
      const scriptHex = Buffer.from(script).toString("hex")
      return members({ value, script_pubkey: scriptHex, address, address_type: type })
    }),
    locktime: members({ amount: BigInt(locktime.amount), type: locktime.type }),
    fee,
  })
}

type Item = { unsigned?: UnsignedTransaction; holdings: () => Holdings }

const FORMAT = /^ADDRESS_FORMAT_BITCOIN_(MAINNET|TESTNET|SIGNET|REGTEST)_/

/**
 * The network of the address that signs, or of all Bitcoin addresses of a private key that its id names. Scripts do not
 * name it, and an output's address differs between networks.
 */
function requireNetwork(addresses: KeyFacts["addresses"], signWith: string): BitcoinNetwork {
  const named = addresses.filter(({ address }) => canonicalAddress(address) === signWith)
  const networks = (named.length > 0 ? named : addresses).flatMap(
    ({ format }) => (FORMAT.exec(format)?.[1] as BitcoinNetwork | undefined) ?? [],
  )
  const [network, ...others] = networks
  // Testnet and signet have the same addresses.
  const isOne = others.every(
    (other) => bitcoinNetworks[other].segwit === bitcoinNetworks[network ?? other].segwit,
  )
  if (network !== undefined && isOne) return network
  const why = network === undefined ? "no Bitcoin address" : "of two networks"
  const sentence = `the network of the outputs is not known: signWith is ${why}; name a SegWit address of the key`
  throw refuse("BITCOIN_NETWORK_UNKNOWN", sentence, { field: "parameters.signWith" })
}

import { caseless, int, list, oneOf, string, struct } from "../language/types.ts"

/** `bitcoin.tx`: a Bitcoin transaction to be signed. Amounts in satoshi. The fee is inputs minus outputs. */
export const bitcoinTransaction = struct("BitcoinTransaction", {
  version: string,
  inputs: list(struct("BitcoinInput", { tx_id: string, vout: int, sequence: int })),
  outputs: list(
    struct("BitcoinOutput", { value: int, script_pubkey: string, address: string, address_type: caseless }),
  ),
  locktime: struct("BitcoinLocktime", { amount: int, type: oneOf("Seconds", "Blocks") }),
  fee: int,
})

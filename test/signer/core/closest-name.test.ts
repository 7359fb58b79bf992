import t from "tap"
import { closestName } from "../../../signer/core/closest-name.ts"

const SETTINGS = ["COUNTERSIGN_SIGNER_CALLERS", "COUNTERSIGN_DATA_DIR", "COUNTERSIGN_API_LISTEN"]

t.test("closest-name finds a name with a small difference", async (t) => {
  t.equal(closestName("COUNTERSIGN_SIGNR_CALLERS", SETTINGS), "COUNTERSIGN_SIGNER_CALLERS")
  t.equal(closestName("COUNTERSIGN_API_LISTEM", SETTINGS), "COUNTERSIGN_API_LISTEN")
  t.equal(closestName("COUNTERSIGN_DATADIR", SETTINGS), "COUNTERSIGN_DATA_DIR")
  t.equal(closestName("COUNTERSIGN_DATA_DIRECTORY", SETTINGS), "COUNTERSIGN_DATA_DIR")
  t.equal(closestName("COUNTERSIGN_SIGNER_CALL", SETTINGS), "COUNTERSIGN_SIGNER_CALLERS")
  t.equal(closestName("list_walets", ["list_users", "list_wallets"]), "list_wallets")
})

t.test("closest-name does not count a common prefix as similarity", async (t) => {
  t.equal(closestName("COUNTERSIGN_SIGNER_BLA", SETTINGS), undefined)
  t.equal(closestName("COUNTERSIGN_SIGNER_X", SETTINGS), undefined)
  t.equal(closestName("COUNTERSIGN_NONSENSE", SETTINGS), undefined)
  t.equal(closestName("get_moon", ["get_user", "get_wallet"]), undefined)
})

t.test("closest-name prefers the most similar name", async (t) => {
  t.equal(closestName("create_walet", ["create_wallets", "create_wallet"]), "create_wallet")
})

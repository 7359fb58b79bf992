import { create } from "@bufbuild/protobuf"
import {
  type SealedSeedHeader,
  SealedSeedHeaderSchema,
  type SeedSlot,
} from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { type RandomBytes, type Secret, wiping } from "../crypto/secret.ts"
import { decryptSeed, encryptSeed, readSealedSeed, type SealedFile, writeSealedSeed } from "./format.ts"
import { requireHolderKeys } from "./holders.ts"

/** The members of a sealed file that are no part of its set of shares. Absent members stay as they are. */
export type HeaderChange = {
  /** Slots of daily ways, in the place of the present ones. */
  dailySlots?: readonly SeedSlot[]
} & Partial<
  Pick<
    SealedSeedHeader,
    "holderPublicKeys" | "production" | "setupCodesNeedApproval" | "witnessesDigest" | "revision"
  >
>

const NONCE_LENGTH = 12

/**
 * The same seed under the same random key, with another header. The set of shares stays, and opens the new file. The file is read and
 * decrypted again before it is returned.
 *
 * @throws HOLDERS_IMPOSSIBLE; SEALED_SEED_DAMAGED when header or seed were altered
 */
export function withHeader(
  sealed: SealedFile,
  key: Secret,
  { dailySlots, ...change }: HeaderChange,
  random: RandomBytes,
): SealedFile {
  const { header } = sealed
  requireHolderKeys(change.holderPublicKeys ?? header.holderPublicKeys, header.shares)
  const shared = header.slots.filter(({ kind }) => kind.case === "shares")
  const slots = dailySlots === undefined ? header.slots : [...shared, ...dailySlots]
  const next = create(SealedSeedHeaderSchema, { ...header, ...change, slots })
  const seed = decryptSeed(sealed, key)
  return wiping([seed], () => {
    const file = readSealedSeed(writeSealedSeed(encryptSeed(seed, key, next, random(NONCE_LENGTH))))
    decryptSeed(file, key).wipe()
    return file
  })
}

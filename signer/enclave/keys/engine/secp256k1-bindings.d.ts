/** The native part of secp256k1 5.x; the package's root would fall back to a slow, variable-time library. */
declare module "secp256k1/bindings.js" {
  const bindings: {
    privateKeyVerify(key: Uint8Array): boolean
    publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array
    privateKeyTweakAdd(key: Uint8Array, tweak: Uint8Array): Uint8Array
    privateKeyTweakMul(key: Uint8Array, tweak: Uint8Array): Uint8Array
    privateKeyNegate(key: Uint8Array): Uint8Array
    publicKeyTweakAdd(point: Uint8Array, scalar: Uint8Array, compressed: boolean): Uint8Array
    ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number }
  }
  export default bindings
}

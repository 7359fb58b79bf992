//! Signs on a running system with the published signer for Alloy and with the published client for Rust, checks with
//! Alloy who signed, and prints one JSON object for the test that started it.

use std::{env, error::Error};

use alloy_consensus::{
    transaction::SignerRecoverable, SignableTransaction, Signed, TxEip1559, TxEip2930, TxEnvelope, TxLegacy,
};
use alloy_network::{
    eip2718::{Decodable2718, Encodable2718},
    TxSigner,
};
use alloy_primitives::{hex, Address, Signature, TxKind, U256};
use alloy_signer::Signer;
use alloy_signer_turnkey::{
    turnkey_client::generated::{immutable::common::v1::TransactionType, SignTransactionIntentV2},
    TurnkeyClient, TurnkeyP256ApiKey, TurnkeySigner,
};

type Failure = Box<dyn Error>;

const MESSAGE: &[u8] = b"from Rust";
const GAS: u64 = 21_000;
const FEE: u128 = 2_000_000_000;

struct Settings {
    base_url: String,
    organization_id: String,
    address: Address,
    to: Address,
    chain_id: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let settings = Settings {
        base_url: env::var("BASE_URL")?,
        organization_id: env::var("ORGANIZATION_ID")?,
        address: env::var("SIGN_WITH")?.parse()?,
        to: env::var("TO")?.parse()?,
        chain_id: env::var("CHAIN_ID")?.parse()?,
    };
    let signer = settings.signer("API_PRIVATE_KEY")?;
    let alloy = [
        signed(&signer, settings.legacy(0)).await?,
        signed(&signer, settings.access_list(1)).await?,
        signed(&signer, settings.fee_market(2)).await?,
    ];
    let client = settings.by_client(settings.fee_market(3)).await?;
    let signature = signer.sign_message(MESSAGE).await?;
    require_signer(&signer, signature.recover_address_from_msg(MESSAGE)?)?;
    let denied = signed(&settings.signer("DENIED_API_PRIVATE_KEY")?, settings.fee_market(4)).await;
    let output = serde_json::json!({
        "alloy": alloy,
        "client": client,
        "message": hex::encode_prefixed(signature.as_bytes()),
        "denied": denied.err().map(|error| error.to_string()),
    });
    println!("{output}");
    Ok(())
}

impl Settings {
    /// A client with the P-256 key that the environment names.
    fn client(&self, key: &str) -> Result<TurnkeyClient, Failure> {
        let api_key = TurnkeyP256ApiKey::from_strings(env::var(key)?, None)?;
        Ok(TurnkeyClient::builder().api_key(api_key).base_url(&self.base_url).build()?)
    }

    fn signer(&self, key: &str) -> Result<TurnkeySigner, Failure> {
        let client = self.client(key)?;
        Ok(TurnkeySigner::new(client, self.organization_id.clone(), self.address, Some(self.chain_id)))
    }

    /// Has the service read and sign a transaction; Alloy reads the result.
    async fn by_client(&self, transaction: TxEip1559) -> Result<String, Failure> {
        let client = self.client("API_PRIVATE_KEY")?;
        let intent = SignTransactionIntentV2 {
            sign_with: self.address.to_string(),
            unsigned_transaction: hex::encode(transaction.encoded_for_signing()),
            r#type: TransactionType::Ethereum,
        };
        let answer =
            client.sign_transaction(self.organization_id.clone(), client.current_timestamp(), intent).await?;
        let bytes = hex::decode(&answer.result.signed_transaction)?;
        let envelope = TxEnvelope::decode_2718(&mut bytes.as_slice())?;
        require_same(&envelope.recover_signer()?, &self.address)?;
        require_same(&envelope.signature_hash(), &transaction.signature_hash())?;
        Ok(hex::encode_prefixed(bytes))
    }

    fn legacy(&self, nonce: u64) -> TxLegacy {
        let (chain_id, to) = (Some(self.chain_id), TxKind::Call(self.to));
        TxLegacy { chain_id, nonce, gas_price: FEE, gas_limit: GAS, to, value: U256::from(1), ..Default::default() }
    }

    fn access_list(&self, nonce: u64) -> TxEip2930 {
        let (chain_id, to) = (self.chain_id, TxKind::Call(self.to));
        TxEip2930 { chain_id, nonce, gas_price: FEE, gas_limit: GAS, to, value: U256::from(2), ..Default::default() }
    }

    fn fee_market(&self, nonce: u64) -> TxEip1559 {
        TxEip1559 {
            chain_id: self.chain_id,
            nonce,
            gas_limit: GAS,
            max_fee_per_gas: FEE,
            max_priority_fee_per_gas: 1,
            to: TxKind::Call(self.to),
            value: U256::from(3),
            ..Default::default()
        }
    }
}

/// A transaction that Alloy signs by its signer, as nodes take it.
async fn signed<T>(signer: &TurnkeySigner, mut transaction: T) -> Result<String, Failure>
where
    T: SignableTransaction<Signature>,
    TxEnvelope: From<Signed<T>>,
{
    let signature = TxSigner::sign_transaction(signer, &mut transaction).await?;
    let envelope = TxEnvelope::from(transaction.into_signed(signature));
    require_signer(signer, envelope.recover_signer()?)?;
    Ok(hex::encode_prefixed(envelope.encoded_2718()))
}

fn require_signer(signer: &TurnkeySigner, found: Address) -> Result<(), Failure> {
    require_same(&found, &Signer::address(signer))
}

fn require_same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), Failure> {
    if found == expected {
        return Ok(());
    }
    Err(format!("found {found:?}, expected {expected:?}").into())
}

//! Tools that reach people or their money, by the names of servers and tools.

use crate::act::Act;

/// Servers through which people are reached.
const MESSENGERS: &[&str] = &[
    "slack",
    "discord",
    "gmail",
    "mail",
    "email",
    "outlook",
    "teams",
    "telegram",
    "twilio",
    "whatsapp",
    "signal",
    "imessage",
    "sms",
    "sendgrid",
    "mailgun",
    "messenger",
    "mattermost",
    "zulip",
    "matrix",
    "intercom",
    "twitter",
    "bluesky",
    "mastodon",
    "linkedin",
];
/// Servers that hold money.
const BANKS: &[&str] = &[
    "stripe", "paypal", "square", "bank", "wise", "revolut", "plaid", "adyen", "mollie", "coinbase", "wallet",
    "payment",
];
/// Words of tools that send something to people.
const SENDS: &[&str] = &[
    "send",
    "post",
    "reply",
    "publish",
    "notify",
    "invite",
    "dm",
    "tweet",
    "broadcast",
    "forward",
    "schedule",
    "call",
];
/// What is sent to people.
const MESSAGES: &[&str] = &["message", "email", "mail", "sms", "dm", "tweet", "notification", "whatsapp"];
/// Words of tools that move money.
const PAYS: &[&str] =
    &["pay", "payout", "refund", "charge", "transfer", "withdraw", "payment", "purchase", "checkout", "buy", "invoice"];

/// Returns the act of a tool that sends a message or money; `reads` if its name says that it only looks.
pub(super) fn reached(server: &str, words: &[String], reads: bool) -> Option<Act> {
    if reads {
        return None;
    }
    let server = server.to_ascii_lowercase();
    let on = |list: &[&str]| list.iter().any(|name| server.contains(name));
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(PAYS) && !has(&["draft", "simulate", "estimate"]) {
        return Some(Act::PaySend);
    }
    let changes = has(&["create", "send", "confirm", "capture", "execute", "submit", "approve"]);
    if on(BANKS) && changes && has(&["order", "money", "funds", "payments", "refunds", "payouts", "transfers"]) {
        return Some(Act::PaySend);
    }
    let sends = has(SENDS) && (on(MESSENGERS) || has(MESSAGES));
    (sends && !has(&["draft"])).then_some(Act::MessageSend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_who_is_reached() {
        let cases = [
            ("slack", "send message", Some(Act::MessageSend)),
            ("slack", "post reply", Some(Act::MessageSend)),
            ("gmail", "create draft", None),
            ("acme", "send email", Some(Act::MessageSend)),
            ("acme", "send file", None),
            ("stripe", "create refund", Some(Act::PaySend)),
            ("shop", "refund order", Some(Act::PaySend)),
            ("stripe", "create customer", None),
        ];
        for (server, tool, expected) in cases {
            let words: Vec<String> = tool.split(' ').map(str::to_owned).collect();
            assert_eq!(reached(server, &words, false), expected, "{server} {tool}");
            assert_eq!(reached(server, &words, true), None, "{server} {tool}");
        }
    }
}

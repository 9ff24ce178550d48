/** Generated from docs/openapi/back-office.json by `npm run openapi`. Do not edit it. */

export interface paths {
    "/support/v1/{environment}/partners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List partners */
        get: operations["listPartners"];
        put?: never;
        /** Create a partner */
        post: operations["createPartner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/partners/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count partners */
        get: operations["countPartners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/partners/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a partner */
        get: operations["getPartner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Rename, suspend or resume a partner, or choose its midoffice */
        patch: operations["updatePartner"];
        trace?: never;
    };
    "/support/v1/{environment}/partners/{id}/onboarding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show how far a partner is: key, receiver, test webhook, certifications */
        get: operations["getOnboarding"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/partners/{id}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened to a partner, its keys and its midoffice, newest first
         * @description Changes and notes of the partner, its midoffice and its 20 newest keys, and webhooks that did not arrive.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/partners/{id}/certification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record that certification is completed */
        post: operations["certifyPartner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List keys */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/keys/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count keys */
        get: operations["countKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a key */
        get: operations["getKey"];
        put?: never;
        post?: never;
        /** Revoke a key for good */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        /** Change the label, expiry or allowed addresses of a key, or disable it */
        patch: operations["updateKey"];
        trace?: never;
    };
    "/support/v1/{environment}/keys/{key_id}/rotation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rotate a key; the new API key is shown only this once */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/partners/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a key; its API key is shown only this once
         * @description With `key_id` and `api_key`, takes over a key that the partner uses already. That needs the role admin.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/keys/{key_id}/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a key's endpoints, as overview/ shows them */
        get: operations["listGrants"];
        /** Grant an endpoint, or change the grant */
        put: operations["putGrant"];
        post?: never;
        /** Withdraw a grant */
        delete: operations["deleteGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/keys/{key_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show how much of each limit is used; does not count as a call */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/keys/{key_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show how a key was used, by hour or by day
         * @description Calls are counted in the hour in which they end, and show up here at most about 10 seconds later.
         */
        get: operations["getKeyHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/partners/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show how all of a partner's keys were used, by hour or by day
         * @description Calls are counted in the hour in which they end, and show up here at most about 10 seconds later. Revoked keys are included.
         */
        get: operations["getPartnerHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/keys/{key_id}/peaks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the highest use of each of a key's limits in the last 30 days */
        get: operations["getKeyPeaks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/midoffices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List midoffices, newest first */
        get: operations["listMidoffices"];
        put?: never;
        /** Register a midoffice and its receiver */
        post: operations["createMidoffice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/midoffices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a midoffice, with what waits for it, its last attempt and its last test event */
        get: operations["getMidoffice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a midoffice; pause or resume it */
        patch: operations["updateMidoffice"];
        trace?: never;
    };
    "/support/v1/{environment}/midoffices/{id}/test-event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a signed test event now */
        post: operations["sendTestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/midoffices/{id}/send-pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make everything that waits for a midoffice due now
         * @description The attempts use no step of the schedule. At most `max_in_flight` of them are in flight at a time. While the midoffice is paused, they wait until it is resumed. An event that waits for an earlier event of its order follows that one, and is not counted. A large backlog is changed in batches, which share one audit entry.
         */
        post: operations["sendPending"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/midoffices/{id}/recovery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Requeue exhausted, cancelled and unrouted deliveries of a time span */
        post: operations["recoverMidoffice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/receiver-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check whether a URL can be registered as a receiver; changes nothing */
        post: operations["checkReceiver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/midoffices/{id}/certify-receiver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Certify a receiver: send it about 40 requests, valid and invalid, and report */
        post: operations["certifyReceiver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find deliveries, newest first
         * @description With `partner_order_id_prefix`, in descending order of the order ids instead.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/deliveries/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the deliveries that a filter finds
         * @description Exact, up to 1,000,000. Use it before a bulk change. Give `until`, so that events which arrive meanwhile do not change the number.
         */
        get: operations["countDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/deliveries/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry or cancel everything that a filter finds
         * @description Which deliveries these are is decided once; if there are not `expected` of them, nothing changes (409 `count_changed`). They are then changed in batches of 500, the oldest first, each batch in a transaction. A delivery that no longer matches the filter at its turn is left alone. All batches share one audit entry, which names the filter and says how many were changed so far and whether the change is `done`.
         */
        post: operations["changeDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a delivery with its attempts */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/deliveries/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Attempt a delivery now; replays a settled one */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/deliveries/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a delivery that is pending or unrouted: no further attempts */
        post: operations["cancelDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/deliveries/{id}/fast-forward": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Skip the wait before the next attempt; sandbox only
         * @description The attempt counts as a step of the schedule. In production: 409 `sandbox_only`.
         */
        post: operations["fastForwardDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/delivery-nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show which node delivers for which shards
         * @description Midoffices fall into 64 shards, and each shard is delivered for by one node at a time. When a node stops, the others take over its shards at once; when it dies, within seconds.
         */
        get: operations["listDeliveryNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/partners/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the notes on a partner, newest first */
        get: operations["listPartnerNotes"];
        put?: never;
        /** Add a note to a partner; it cannot be changed afterwards */
        post: operations["addPartnerNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/keys/{key_id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the notes on a key, newest first */
        get: operations["listKeyNotes"];
        put?: never;
        /** Add a note to a key; it cannot be changed afterwards */
        post: operations["addKeyNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/midoffices/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the notes on a midoffice, newest first */
        get: operations["listMidofficeNotes"];
        put?: never;
        /** Add a note to a midoffice; it cannot be changed afterwards */
        post: operations["addMidofficeNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/deliveries/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the notes on a delivery, newest first */
        get: operations["listDeliveryNotes"];
        put?: never;
        /** Add a note to a delivery; it cannot be changed afterwards */
        post: operations["addDeliveryNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export partners, keys, grants and midoffices as an import takes them
         * @description Streamed NDJSON. API keys are left out unless `api_keys` is given, which the audit records.
         */
        get: operations["exportRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List changes */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/audit/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count changes */
        get: operations["countAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List tokens, newest first */
        get: operations["listTokens"];
        put?: never;
        /** Create a token; it is shown only this once */
        post: operations["createToken"];
        /** Delete a token */
        delete: operations["deleteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a token, named in the path */
        delete: operations["deleteTokenById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the people who have signed in through OpenID Connect, newest first */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/people/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End all sessions of a person; they can sign in again while the provider lets them */
        delete: operations["endSessionsOfPerson"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show delivery results, backlog, failures, refused keys and recent changes */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find an order, delivery, event, key, partner or midoffice; at most 20 */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show how people can sign in */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show who is signed in */
        get: operations["getSession"];
        put?: never;
        /** Sign in with a token; the reply sets the cookie */
        post: operations["signIn"];
        /** Sign out */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/v1/{environment}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report that orders were created, changed or cancelled */
        post: operations["reportOrderEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/support/v1/{environment}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import partners, keys, grants and midoffices, all or nothing
         * @description The body is NDJSON, one record per line, in any order; docs/operating/moving-in.md describes the format. The same file again changes nothing. If a line has an error, nothing is imported (422 `import_refused`).
         */
        post: operations["importRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    orderChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        FieldError: {
            /** @description The line of an import. */
            line?: number;
            /** @description A JSON pointer into the body or the line, or the name of a query parameter. Empty for the whole line. */
            field: string;
            detail: string;
        };
        /** @description A problem as RFC 9457 has it. Programs should look at `code`. */
        Problem: {
            /**
             * Format: uri
             * @example urn:bellhop:problem:key_not_found
             */
            type: string;
            /** @description What the code means, always the same. */
            title: string;
            status: number;
            /** @description Stable; never changes its meaning. */
            code: string;
            /** @description What is wrong with this request, for people. */
            detail: string;
            /** @description The fields at fault, where there are any; at most 20 of them, and 100 of an import. */
            errors?: components["schemas"]["FieldError"][];
        };
        /** Activity */
        Activity: {
            id: string;
            /** Format: date-time */
            at: string;
            kind: components["schemas"]["ActivityKind"];
            /** @description The id of what it is about. */
            subject: string;
            actor: string | null;
            action: string | null;
            before: unknown;
            after: unknown;
            text: string | null;
            state: components["schemas"]["TroubledState"] | null;
            count: number | null;
        };
        /**
         * ActivityKind
         * @description `change`: an entry of the audit. `note`: a note. `webhooks`: webhooks of one hour that did not arrive.
         * @enum {string}
         */
        ActivityKind: "change" | "note" | "webhooks";
        /** ActivityPage */
        ActivityPage: {
            items: components["schemas"]["Activity"][];
            next_cursor: string | null;
        };
        /**
         * AttemptFailure
         * @description Why the last attempt failed.
         * @enum {string}
         */
        AttemptFailure: "status" | "timeout" | "unfinished_reply" | "connect_timeout" | "dns" | "blocked_address" | "plain_http" | "reserved_port" | "bad_url" | "connection_refused" | "connection_reset" | "unreachable" | "tls" | "tls_closed" | "no_tls" | "https_only" | "certificate_self_signed" | "certificate_untrusted" | "certificate_expired" | "certificate_not_yet_valid" | "certificate_wrong_name" | "http2_only" | "protocol" | "aborted" | "unknown" | "signing";
        /**
         * AttemptOutcome
         * @enum {string}
         */
        AttemptOutcome: "delivered" | "failed";
        /** AttemptWithRequest */
        AttemptWithRequest: {
            number: number;
            /** Format: date-time */
            started_at: string;
            duration_ms: number;
            outcome: components["schemas"]["AttemptOutcome"];
            status_code: number | null;
            reply_excerpt: string | null;
            error: string | null;
            failure_code: string | null;
            signature_timestamp: number;
            signature_token: string;
            url: string | null;
            body_form: components["schemas"]["BodyForm"] | null;
            user_agent: string | null;
            key_id: string | null;
            key_fingerprint: string | null;
            request: components["schemas"]["SentRequest"] | null;
        };
        /** AuditEntry */
        AuditEntry: {
            id: string;
            /** Format: date-time */
            at: string;
            actor: string;
            action: string;
            subject: string;
            before: unknown;
            after: unknown;
        };
        /** AuditEntryPage */
        AuditEntryPage: {
            items: components["schemas"]["AuditEntry"][];
            next_cursor: string | null;
        };
        /**
         * BodyForm
         * @description Where a webhook's body has the fields of the order: under `data`, flat, or both.
         * @enum {string}
         */
        BodyForm: "data" | "flat" | "both";
        /**
         * BulkAction
         * @enum {string}
         */
        BulkAction: "retry" | "cancel";
        /** BulkChange */
        BulkChange: {
            action: components["schemas"]["BulkAction"];
            filter: components["schemas"]["DeliveryFilter"];
            /** @description How many deliveries the filter finds. If it finds another number, nothing changes. */
            expected: number;
        };
        /** BulkChanged */
        BulkChanged: {
            /** @description Less than `expected` if some of them were settled meanwhile, cannot be cancelled because they are settled, or cannot be sent because they and their partner have no midoffice. */
            changed: number;
        };
        /** Cancellation */
        Cancellation: {
            /** @description Why. Kept in the audit. */
            reason?: string;
        };
        /** Certification */
        Certification: {
            reference: string;
        };
        /** ConsoleSession */
        ConsoleSession: {
            name: string;
            role: components["schemas"]["Role"];
            /** @description Those that this process serves. */
            environments: components["schemas"]["Environment"][];
        };
        /** Count */
        Count: {
            /** @description At most 20000. */
            count: number;
            /** @description False if there are more. */
            is_exact: boolean;
        };
        /** Delivery */
        Delivery: {
            id: string;
            event_id: string;
            type: components["schemas"]["EventType"];
            partner_id: string;
            partner_name: string | null;
            partner_order_id: string;
            agreement_number: string | null;
            status: string | null;
            midoffice_id: string | null;
            midoffice_name: string | null;
            state: components["schemas"]["DeliveryState"];
            /** @description Whether the node that answers has an attempt of it under way. To be sure, ask the node that delivers to its midoffice (`delivery_node`). */
            in_flight: boolean;
            attempts_made: number;
            last_status_code: number | null;
            last_failure_code: string | null;
            next_attempt_at: string | null;
            /** Format: date-time */
            accepted_at: string;
            settled_at: string | null;
        };
        /** DeliveryCount */
        DeliveryCount: {
            count: number;
            by_state: {
                pending: number;
                delivered: number;
                exhausted: number;
                cancelled: number;
                unrouted: number;
            };
            /** @description Whether there are more than 1000000, at which the count ends. */
            has_more: boolean;
        };
        /** DeliveryFilter */
        DeliveryFilter: {
            state?: components["schemas"]["DeliveryState"];
            midoffice_id?: string;
            partner_id?: string;
            /** @description The whole order id. */
            partner_order_id?: string;
            /** @description The beginning of the order id. The list is then in descending order of the ids. */
            partner_order_id_prefix?: string;
            type?: components["schemas"]["EventType"];
            failure_code?: components["schemas"]["AttemptFailure"];
            status_class?: components["schemas"]["StatusClass"];
            /** Format: date-time */
            since?: string;
            /** Format: date-time */
            until?: string;
            ids?: string[] | null;
        };
        /** DeliveryNode */
        DeliveryNode: {
            id: string;
            host: string;
            /** Format: date-time */
            since: string;
            /** @description The shards that it delivers for. */
            shards: number[];
            /** @description Attempts under way, to within about a second. */
            in_flight: number;
        };
        /** DeliveryNodes */
        DeliveryNodes: {
            items: components["schemas"]["DeliveryNode"][];
            /** @description Always null here. */
            next_cursor: string | null;
            /** @description Shards that no node delivers for at the moment. */
            unowned: number[];
        };
        /**
         * DeliveryOrder
         * @description `per_order`: the events of one order go out one after another, in the order in which they were accepted.
         * @enum {string}
         */
        DeliveryOrder: "any" | "per_order";
        /** DeliveryPage */
        DeliveryPage: {
            items: components["schemas"]["Delivery"][];
            next_cursor: string | null;
        };
        /**
         * DeliveryState
         * @enum {string}
         */
        DeliveryState: "pending" | "delivered" | "exhausted" | "cancelled" | "unrouted";
        /** DeliveryWithAttempts */
        DeliveryWithAttempts: {
            id: string;
            event_id: string;
            type: components["schemas"]["EventType"];
            partner_id: string;
            partner_name: string | null;
            partner_order_id: string;
            agreement_number: string | null;
            status: string | null;
            midoffice_id: string | null;
            midoffice_name: string | null;
            state: components["schemas"]["DeliveryState"];
            /** @description Whether the node that answers has an attempt of it under way. To be sure, ask the node that delivers to its midoffice (`delivery_node`). */
            in_flight: boolean;
            attempts_made: number;
            last_status_code: number | null;
            last_failure_code: string | null;
            next_attempt_at: string | null;
            /** Format: date-time */
            accepted_at: string;
            settled_at: string | null;
            attempts: components["schemas"]["AttemptWithRequest"][];
            /** @description When the remaining attempts would come; empty once it is settled, or while it waits for an earlier event of its order. */
            future_attempts: string[];
            why: string | null;
        };
        /**
         * EndpointName
         * @example api/b2b/v3/search/hp/
         */
        EndpointName: string;
        /**
         * Environment
         * @description The environment whose data is meant.
         * @enum {string}
         */
        Environment: "production" | "sandbox";
        /**
         * EventOutcome
         * @description `queued`: it will be delivered. `duplicate`: it was accepted before. `no_midoffice`: it is kept as unrouted, and can be delivered once its partner has a midoffice.
         * @enum {string}
         */
        EventOutcome: "queued" | "duplicate" | "no_midoffice";
        /** EventOutcomes */
        EventOutcomes: {
            /** @description In the order of the request. */
            results: {
                event_id: string;
                outcome: components["schemas"]["EventOutcome"];
                /** @description Of an unrouted event too. */
                delivery_id: string;
            }[];
        };
        /**
         * EventType
         * @description What happened to the order.
         * @enum {string}
         */
        EventType: "created" | "updated" | "cancelled";
        /** FailingMidoffice */
        FailingMidoffice: {
            id: string;
            name: string;
            /** Format: date-time */
            failing_since: string;
            pending: number;
            last_error: string | null;
        };
        /** Grant */
        Grant: {
            endpoint: string;
            is_active: boolean;
            is_debug_mode: boolean;
            is_limited: boolean;
            requests_number: number;
            seconds_number: number;
        };
        /** GrantInput */
        GrantInput: {
            endpoint: components["schemas"]["EndpointName"];
            is_active?: boolean;
            is_debug_mode?: boolean;
            is_limited?: boolean;
            requests_number?: number;
            seconds_number?: number;
            /** @description Who approved it. In production, a limit that lets more through needs one. Recorded in the audit. */
            approval_reference?: string;
            /** @description What the approval of a higher limit is based on. Recorded in the audit. */
            expected_sales_volume?: string;
        };
        /** GrantList */
        GrantList: {
            items: components["schemas"]["Grant"][];
            /** @description Always null here. */
            next_cursor: string | null;
        };
        /** GrantWithWarnings */
        GrantWithWarnings: {
            endpoint: string;
            is_active: boolean;
            is_debug_mode: boolean;
            is_limited: boolean;
            requests_number: number;
            seconds_number: number;
            warnings: {
                code: string;
                detail: string;
            }[];
        };
        /** ImportCounts */
        ImportCounts: {
            created: number;
            changed: number;
            unchanged: number;
            skipped: number;
        };
        /** ImportReport */
        ImportReport: {
            /** @description True: nothing was changed. */
            dry_run: boolean;
            lines: number;
            partners: components["schemas"]["ImportCounts"];
            keys: components["schemas"]["ImportCounts"];
            grants: components["schemas"]["ImportCounts"];
            midoffices: components["schemas"]["ImportCounts"];
            /** @description The first 100 lines that were skipped or imported only in part, and why. */
            skipped_lines: {
                line: number;
                reason: string;
            }[];
        };
        /** Key */
        Key: {
            key_id: string;
            partner_id: string;
            label: string | null;
            disabled: boolean;
            expires_at: string | null;
            allowed_ips: string[] | null;
            previous_key_valid_until: string | null;
            /** @description When each of the earlier API keys stops working, that of the last rotation first. */
            overlap_ends: string[];
            revoked_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /** KeyChanges */
        KeyChanges: {
            label?: string | null;
            expires_at?: string | null;
            allowed_ips?: string[] | null;
            disabled?: boolean;
        };
        /** KeyPage */
        KeyPage: {
            items: components["schemas"]["Key"][];
            next_cursor: string | null;
        };
        /** KeyWithSecret */
        KeyWithSecret: {
            key_id: string;
            /** @description Shown only this once. A UUID, unless the key was taken over. */
            api_key: string;
            partner_id: string;
            label: string | null;
            disabled: boolean;
            expires_at: string | null;
            allowed_ips: string[] | null;
            previous_key_valid_until: string | null;
            /** @description When each of the earlier API keys stops working, that of the last rotation first. */
            overlap_ends: string[];
            revoked_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /** LastAttempt */
        LastAttempt: {
            delivery_id: string;
            number: number;
            /** Format: date-time */
            started_at: string;
            duration_ms: number;
            outcome: components["schemas"]["AttemptOutcome"];
            status_code: number | null;
            reply_excerpt: string | null;
            error: string | null;
            failure_code: string | null;
            signature_timestamp: number;
            signature_token: string;
            url: string | null;
            body_form: components["schemas"]["BodyForm"] | null;
            user_agent: string | null;
            key_id: string | null;
            key_fingerprint: string | null;
        };
        /** LastTest */
        LastTest: {
            /** Format: date-time */
            at: string;
            actor: string;
            attempt: components["schemas"]["AttemptWithRequest"];
        };
        /** LimitedKey */
        LimitedKey: {
            key_id: string;
            label: string | null;
            partner_name: string;
            /** @description In this span, by this process since it started. */
            refused: number;
        };
        /** Midoffice */
        Midoffice: {
            id: string;
            name: string;
            url: string;
            signing_key_id: string;
            body_form: components["schemas"]["BodyForm"];
            delivery_order: components["schemas"]["DeliveryOrder"];
            max_in_flight: number;
            paused: boolean;
            failing_since: string | null;
            health: components["schemas"]["MidofficeHealth"];
            /** Format: date-time */
            created_at: string;
        };
        /** MidofficeChanges */
        MidofficeChanges: {
            name?: string;
            /**
             * Format: uri
             * @description Where webhooks are POSTed.
             * @example https://midoffice.example/webhooks/orders
             */
            url?: string;
            /** @description The id of the key whose API key signs. */
            signing_key_id?: string;
            body_form?: components["schemas"]["BodyForm"];
            delivery_order?: components["schemas"]["DeliveryOrder"];
            max_in_flight?: number;
            paused?: boolean;
        };
        /**
         * MidofficeHealth
         * @description Whether its receiver answers. `untested`: neither a webhook nor a test event was ever sent to it.
         * @enum {string}
         */
        MidofficeHealth: "untested" | "healthy" | "failing";
        /** MidofficePage */
        MidofficePage: {
            items: components["schemas"]["Midoffice"][];
            next_cursor: string | null;
        };
        /** MidofficeWithState */
        MidofficeWithState: {
            id: string;
            name: string;
            url: string;
            signing_key_id: string;
            body_form: components["schemas"]["BodyForm"];
            delivery_order: components["schemas"]["DeliveryOrder"];
            max_in_flight: number;
            paused: boolean;
            failing_since: string | null;
            health: components["schemas"]["MidofficeHealth"];
            /** Format: date-time */
            created_at: string;
            pending: number;
            /** @description How many of them wait for the time of their next attempt: neither due, nor in flight, nor behind an earlier event of their order. */
            waiting: number;
            oldest_pending_at: string | null;
            delivery_node: string | null;
            last_attempt: components["schemas"]["LastAttempt"] | null;
            last_test: components["schemas"]["LastTest"] | null;
        };
        /** NewConsoleSession */
        NewConsoleSession: {
            token: string;
        };
        /** NewKey */
        NewKey: {
            label?: string | null;
            expires_at?: string | null;
            allowed_ips?: string[] | null;
            endpoints?: components["schemas"]["EndpointName"][] | null;
            /**
             * @description The id of an existing key to take over; needs `api_key` and the role admin.
             * @example 8095346453
             */
            key_id?: string;
            /**
             * @description The API key that the partner uses with this `key_id`.
             * @example e2a3cdf4-9b6e-4cde-9d8b-3d37a1c0a5b1
             */
            api_key?: string;
        };
        /** NewMidoffice */
        NewMidoffice: {
            name: string;
            /**
             * Format: uri
             * @description Where webhooks are POSTed.
             * @example https://midoffice.example/webhooks/orders
             */
            url: string;
            /** @description The id of the key whose API key signs. */
            signing_key_id: string;
            body_form?: components["schemas"]["BodyForm"];
            delivery_order?: components["schemas"]["DeliveryOrder"];
            max_in_flight?: number;
        };
        /** NewNote */
        NewNote: {
            text: string;
        };
        /** NewPartner */
        NewPartner: {
            name: string;
            /** Format: date */
            integration_started_on: string;
            /** @description Whether the partner is new to the API. */
            is_new: boolean;
        };
        /** NewToken */
        NewToken: {
            name: string;
            role: components["schemas"]["Role"];
            expires_at?: string | null;
        };
        /** Note */
        Note: {
            id: string;
            /** Format: date-time */
            at: string;
            /** @description The name and id of the token, as in the audit. */
            author: string;
            text: string;
        };
        /** NotePage */
        NotePage: {
            items: components["schemas"]["Note"][];
            next_cursor: string | null;
        };
        /** Onboarding */
        Onboarding: {
            key_id: string | null;
            midoffice_id: string | null;
            steps: components["schemas"]["OnboardingStep"][];
        };
        /** OnboardingStep */
        OnboardingStep: {
            name: components["schemas"]["OnboardingStepName"];
            done: boolean;
            at: string | null;
            detail: string | null;
        };
        /**
         * OnboardingStepName
         * @enum {string}
         */
        OnboardingStepName: "key" | "receiver" | "test_webhook" | "receiver_certified" | "certification";
        /** OrderEvent */
        OrderEvent: {
            /** @description The sender's own id; the same id again means the same event. */
            event_id: string;
            type: components["schemas"]["EventType"];
            /** @description The id of the partner that made the order. */
            partner_id: string;
            /** @description The partner's identifier of the booking. */
            partner_order_id: string;
            agreement_number?: string | null;
            status?: string | null;
            /** @description The id of the midoffice to deliver to; the partner's own if not given. */
            midoffice_id?: string | null;
        };
        /** OrderEventBatch */
        OrderEventBatch: {
            events: components["schemas"]["OrderEvent"][];
        };
        /** OrderEvents */
        OrderEvents: components["schemas"]["OrderEvent"] | components["schemas"]["OrderEventBatch"];
        /** Partner */
        Partner: {
            id: string;
            name: string;
            /** Format: date */
            integration_started_on: string;
            is_new: boolean;
            suspended: boolean;
            certified_at: string | null;
            certification_reference: string | null;
            midoffice_id: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /** PartnerChanges */
        PartnerChanges: {
            name?: string;
            suspended?: boolean;
            midoffice_id?: string | null;
            /** @description Why. Kept in the audit. */
            reason?: string;
        };
        /** PartnerPage */
        PartnerPage: {
            items: components["schemas"]["Partner"][];
            next_cursor: string | null;
        };
        /** PausedMidoffice */
        PausedMidoffice: {
            id: string;
            name: string;
            pending: number;
        };
        /** Person */
        Person: {
            id: string;
            name: string;
            email: string | null;
            role: ("viewer" | "support" | "admin") | null;
            /** @description The OpenID Connect provider. */
            issuer: string;
            /** @description The provider's id of the person, `sub`. */
            subject: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            signed_in_at: string;
        };
        /** PersonPage */
        PersonPage: {
            items: components["schemas"]["Person"][];
            next_cursor: string | null;
        };
        /** ReceiverCertification */
        ReceiverCertification: {
            url: string;
            form: components["schemas"]["BodyForm"];
            /** Format: date-time */
            started_at: string;
            duration_ms: number;
            /**
             * @description Passed if every line passed or warned.
             * @enum {string}
             */
            verdict: "passed" | "failed";
            passed: number;
            /** @description Risks that the specification allows. */
            warned: number;
            failed: number;
            skipped: number;
            cause: string | null;
            lines: components["schemas"]["ReceiverLine"][];
        };
        /** ReceiverCheck */
        ReceiverCheck: {
            ok: boolean;
            /** @description The normal form: what would be called. */
            url?: string;
            /** @description Why not, and what to do. */
            detail?: string;
        };
        /** ReceiverLine */
        ReceiverLine: {
            name: string;
            /** @enum {string} */
            group: "accepts" | "refuses" | "survives" | "replies";
            /** @description Completes the sentence "The receiver …". */
            title: string;
            /** @enum {string} */
            outcome: "passed" | "warned" | "failed" | "skipped";
            sent: string;
            expected: string;
            /** @description What came; for a skipped line, why it was skipped. */
            got: string;
            why: string;
            fix: string;
        };
        /** ReceiverToCertify */
        ReceiverToCertify: {
            form?: components["schemas"]["BodyForm"];
        };
        /** ReceiverToCheck */
        ReceiverToCheck: {
            url: string;
        };
        /** Recovered */
        Recovered: {
            requeued: number;
            /** @description Only where a limit was given. */
            remaining?: number;
        };
        /** Recovery */
        Recovery: {
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until?: string;
            /** @description Only count what would be requeued; nothing changes. */
            dry_run?: boolean;
            /** @description Requeue at most this many, the oldest first; the reply says how many remain. */
            limit?: number;
        };
        /**
         * Role
         * @description `viewer` reads. `support` also changes. `admin` also manages tokens, and imports and exports everything, API keys included. `orders` may only post order events.
         * @enum {string}
         */
        Role: "viewer" | "support" | "admin" | "orders";
        /** Rotation */
        Rotation: {
            /** @description How long the API key that is replaced keeps working; one day if not given. Earlier ones keep working until their own overlap ends. At most 4 work beside the new one. */
            overlap_seconds?: number;
            /** @description Ends the overlaps of earlier rotations now, for example because an API key has leaked. */
            end_overlaps?: boolean;
        };
        /** SearchHit */
        SearchHit: {
            /** @enum {string} */
            kind: "partner" | "key" | "midoffice" | "delivery";
            id: string;
            title: string;
            detail: string;
        };
        /** SearchResult */
        SearchResult: {
            items: components["schemas"]["SearchHit"][];
        };
        /** SentPending */
        SentPending: {
            /** @description How many were waiting and are due now. */
            sent: number;
        };
        /**
         * SentRequest
         * @description As it was sent, with the signatures masked; null if it is not known.
         */
        SentRequest: {
            url: string;
            headers: {
                [key: string]: string;
            };
            body: string;
        };
        /** SignInMethods */
        SignInMethods: {
            /** @description Whether people can sign in at `/console/oidc/sign-in`. Tokens always work. */
            openid_connect: boolean;
        };
        /** Stats */
        Stats: {
            span: components["schemas"]["StatsSpan"];
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            step_seconds: number;
            buckets: components["schemas"]["StatsBucket"][];
            pending: number;
            oldest_pending_at: string | null;
            in_flight: number;
            success_rate: number | null;
            /** @description How many midoffices are failing, shown or not. */
            failing_count: number;
            /** @description Those with the most pending deliveries, at most 20. */
            failing_midoffices: components["schemas"]["FailingMidoffice"][];
            /** @description Those with the most pending deliveries, at most 20. */
            paused_midoffices: components["schemas"]["PausedMidoffice"][];
            /** @description Events that no midoffice was known for, counted up to 1000. */
            unrouted: number;
            limited_keys: components["schemas"]["LimitedKey"][];
            recent_changes: components["schemas"]["AuditEntry"][];
        };
        /** StatsBucket */
        StatsBucket: {
            /** Format: date-time */
            at: string;
            delivered: number;
            failed_attempts: number;
            exhausted: number;
        };
        /**
         * StatsSpan
         * @description How far the buckets and the refused calls reach back; an hour if not given.
         * @enum {string}
         */
        StatsSpan: "hour" | "day" | "week";
        /**
         * StatusClass
         * @description How the receiver answered the last attempt. A reply that was never finished counts as `no_answer`.
         * @enum {string}
         */
        StatusClass: "2xx" | "3xx" | "4xx" | "5xx" | "no_answer";
        /** Token */
        Token: {
            id: string;
            name: string;
            role: components["schemas"]["Role"];
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            last_used_at: string | null;
        };
        /** TokenPage */
        TokenPage: {
            items: components["schemas"]["Token"][];
            next_cursor: string | null;
        };
        /** TokenWithSecret */
        TokenWithSecret: {
            id: string;
            name: string;
            role: components["schemas"]["Role"];
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            last_used_at: string | null;
            /** @description Shown only this once. */
            token: string;
        };
        /**
         * TroubledState
         * @enum {string}
         */
        TroubledState: "exhausted" | "cancelled" | "unrouted";
        /** Usage */
        Usage: {
            endpoint: string;
            is_limited: boolean;
            requests_number: number;
            seconds_number: number;
            used: number;
            remaining: number | null;
            resets_at: string | null;
        };
        /** UsageHistory */
        UsageHistory: {
            /** @description By time and endpoint. Hours and days without calls are left out. */
            items: components["schemas"]["UsageHistoryItem"][];
        };
        /** UsageHistoryItem */
        UsageHistoryItem: {
            /**
             * Format: date-time
             * @description The beginning of the hour or day in UTC.
             */
            at: string;
            endpoint: string;
            /** @description Calls that the limit let in. */
            admitted: number;
            /** @description Calls refused because the limit was used up. */
            refused: number;
            /** @description Calls that ended with a 5xx status or without a complete reply. */
            failed: number;
            peak_share: number | null;
        };
        /** UsageList */
        UsageList: {
            items: components["schemas"]["Usage"][];
            /** @description Always null here. */
            next_cursor: string | null;
        };
        /** UsagePeak */
        UsagePeak: {
            endpoint: string;
            /** @description The most calls that counted in one window. */
            calls: number;
            /** @description The highest share of the limit, as the limit was at the time. */
            share: number;
        };
        /** UsagePeakList */
        UsagePeakList: {
            items: components["schemas"]["UsagePeak"][];
            /** @description Always null here. */
            next_cursor: string | null;
        };
        /**
         * UsageStep
         * @enum {string}
         */
        UsageStep: "hour" | "day";
    };
    responses: {
        /**
         * @description `malformed_request`: The request is not valid HTTP.
         *
         *     `malformed_json`: The body is not valid JSON.
         */
        MalformedRequestOrMalformedJson: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "malformed_request" | "malformed_json";
                    /** @constant */
                    status?: 400;
                };
            };
        };
        /** @description `unauthenticated`: Sign in with a back-office token. */
        Unauthenticated: {
            headers: {
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "unauthenticated";
                    /** @constant */
                    status?: 401;
                };
            };
        };
        /**
         * @description `forbidden`: The role of this token does not allow this.
         *
         *     `csrf`: A change from the console must come from its own pages and carry X-Bellhop-Console: 1.
         */
        ForbiddenOrCsrf: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "forbidden" | "csrf";
                    /** @constant */
                    status?: 403;
                };
            };
        };
        /** @description `environment_not_found`: This server does not serve that environment. */
        EnvironmentNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "environment_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /** @description `request_timeout`: The request did not arrive in time. */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "request_timeout";
                    /** @constant */
                    status?: 408;
                };
            };
        };
        /** @description `body_too_large`: The body is too large. */
        BodyTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "body_too_large";
                    /** @constant */
                    status?: 413;
                };
            };
        };
        /** @description `unsupported_media_type`: The body must be application/json. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "unsupported_media_type";
                    /** @constant */
                    status?: 415;
                };
            };
        };
        /**
         * @description `validation_failed`: The request does not have the expected form.
         *
         *     `sandbox_not_offered`: The sandbox is offered only to new partners whose integration starts inside the offer.
         */
        ValidationFailedOrSandboxNotOffered: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "validation_failed" | "sandbox_not_offered";
                    /** @constant */
                    status?: 422;
                };
            };
        };
        /** @description `headers_too_large`: The request line and headers are too large. */
        HeadersTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "headers_too_large";
                    /** @constant */
                    status?: 431;
                };
            };
        };
        /** @description `internal_error`: The service failed to handle the request; try again later. */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "internal_error";
                    /** @constant */
                    status?: 500;
                };
            };
        };
        /**
         * @description `storage_full`: The disk of the database is full, so nothing can be stored; free some space and repeat the request, a restart is not needed.
         *
         *     `storage_read_only`: The database can only be read, so nothing can be stored; make its disk or its PostgreSQL server writable and repeat the request, a restart is not needed.
         *
         *     `storage_failing`: The disk of the database reports errors, so nothing can be stored; check the disk and the log, restart Bellhop if the errors last, and repeat the request.
         *
         *     `storage_gone`: The data folder was deleted, moved or replaced while Bellhop was using it, so nothing can be stored and this process ends; repeat the request once Bellhop runs again.
         *
         *     `storage_damaged`: A file of the database is damaged, so nothing can be stored; stop Bellhop, restore a backup (docs/operating/damaged-database.md), and repeat the request.
         *
         *     `database_unavailable`: The database does not answer; try again in a moment.
         */
        StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable: {
            headers: {
                /** @description In seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "storage_full" | "storage_read_only" | "storage_failing" | "storage_gone" | "storage_damaged" | "database_unavailable";
                    /** @constant */
                    status?: 503;
                };
            };
        };
        /** @description `malformed_request`: The request is not valid HTTP. */
        MalformedRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "malformed_request";
                    /** @constant */
                    status?: 400;
                };
            };
        };
        /** @description `forbidden`: The role of this token does not allow this. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "forbidden";
                    /** @constant */
                    status?: 403;
                };
            };
        };
        /** @description `validation_failed`: The request does not have the expected form. */
        ValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "validation_failed";
                    /** @constant */
                    status?: 422;
                };
            };
        };
        /**
         * @description `route_not_found`: There is nothing at this address.
         *
         *     `environment_not_found`: This server does not serve that environment.
         *
         *     `partner_not_found`: There is no such partner in this environment.
         */
        RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "route_not_found" | "environment_not_found" | "partner_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /**
         * @description `route_not_found`: There is nothing at this address.
         *
         *     `environment_not_found`: This server does not serve that environment.
         *
         *     `partner_not_found`: There is no such partner in this environment.
         *
         *     `midoffice_not_found`: There is no such midoffice in this environment.
         */
        RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFoundOrMidofficeNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "route_not_found" | "environment_not_found" | "partner_not_found" | "midoffice_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /**
         * @description `route_not_found`: There is nothing at this address.
         *
         *     `environment_not_found`: This server does not serve that environment.
         *
         *     `key_not_found`: There is no such key in this environment.
         */
        RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "route_not_found" | "environment_not_found" | "key_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /** @description `key_revoked`: The key is revoked; create a new one. */
        KeyRevoked: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "key_revoked";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /**
         * @description `key_revoked`: The key is revoked; create a new one.
         *
         *     `too_many_overlaps`: 4 earlier API keys of this key still work; wait until an overlap ends, or send "end_overlaps": true to end them all now.
         */
        KeyRevokedOrTooManyOverlaps: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "key_revoked" | "too_many_overlaps";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /** @description `key_id_taken`: There is a key with this key_id already. */
        KeyIdTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "key_id_taken";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /**
         * @description `certification_required`: Limits can be raised only after the partner has completed certification.
         *
         *     `key_revoked`: The key is revoked; create a new one.
         */
        CertificationRequiredOrKeyRevoked: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "certification_required" | "key_revoked";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /**
         * @description `overview_always_active`: overview/ cannot be set inactive.
         *
         *     `validation_failed`: The request does not have the expected form.
         *
         *     `approval_required`: Raising a limit in production requires an approval_reference.
         */
        OverviewAlwaysActiveOrValidationFailedOrApprovalRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "overview_always_active" | "validation_failed" | "approval_required";
                    /** @constant */
                    status?: 422;
                };
            };
        };
        /**
         * @description `route_not_found`: There is nothing at this address.
         *
         *     `environment_not_found`: This server does not serve that environment.
         *
         *     `key_not_found`: There is no such key in this environment.
         *
         *     `endpoint_not_granted`: The endpoint is not granted to this key.
         */
        RouteNotFoundOrEnvironmentNotFoundOrKeyNotFoundOrEndpointNotGranted: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "route_not_found" | "environment_not_found" | "key_not_found" | "endpoint_not_granted";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /**
         * @description `key_revoked`: The key is revoked; create a new one.
         *
         *     `overview_required`: overview/ cannot be withdrawn from a key.
         */
        KeyRevokedOrOverviewRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "key_revoked" | "overview_required";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /**
         * @description `environment_not_found`: This server does not serve that environment.
         *
         *     `key_not_found`: There is no such key in this environment.
         */
        EnvironmentNotFoundOrKeyNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "environment_not_found" | "key_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /**
         * @description `validation_failed`: The request does not have the expected form.
         *
         *     `receiver_refused`: Webhooks may only go to an https address whose host resolves to public addresses.
         */
        ValidationFailedOrReceiverRefused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "validation_failed" | "receiver_refused";
                    /** @constant */
                    status?: 422;
                };
            };
        };
        /**
         * @description `route_not_found`: There is nothing at this address.
         *
         *     `environment_not_found`: This server does not serve that environment.
         *
         *     `midoffice_not_found`: There is no such midoffice in this environment.
         */
        RouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "route_not_found" | "environment_not_found" | "midoffice_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /**
         * @description `route_not_found`: There is nothing at this address.
         *
         *     `environment_not_found`: This server does not serve that environment.
         *
         *     `key_not_found`: There is no such key in this environment.
         *
         *     `midoffice_not_found`: There is no such midoffice in this environment.
         */
        RouteNotFoundOrEnvironmentNotFoundOrKeyNotFoundOrMidofficeNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "route_not_found" | "environment_not_found" | "key_not_found" | "midoffice_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /** @description `count_changed`: The filter finds another number of deliveries than expected; nothing was changed. */
        CountChanged: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "count_changed";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /**
         * @description `validation_failed`: The request does not have the expected form.
         *
         *     `too_many_deliveries`: The filter finds more than 1,000,000 deliveries; narrow it, for example to a span of time.
         */
        ValidationFailedOrTooManyDeliveries: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "validation_failed" | "too_many_deliveries";
                    /** @constant */
                    status?: 422;
                };
            };
        };
        /**
         * @description `route_not_found`: There is nothing at this address.
         *
         *     `environment_not_found`: This server does not serve that environment.
         *
         *     `delivery_not_found`: There is no such delivery in this environment.
         */
        RouteNotFoundOrEnvironmentNotFoundOrDeliveryNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "route_not_found" | "environment_not_found" | "delivery_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /** @description `no_midoffice`: The event has no midoffice; assign one to its partner first. */
        NoMidoffice: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "no_midoffice";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /** @description `delivery_settled`: The delivery is already settled. */
        DeliverySettled: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "delivery_settled";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /**
         * @description `delivery_settled`: The delivery is already settled.
         *
         *     `sandbox_only`: This works only in the sandbox.
         *
         *     `changed_meanwhile`: Someone else changed this at the same time; read it again and repeat your change.
         */
        DeliverySettledOrSandboxOnlyOrChangedMeanwhile: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "delivery_settled" | "sandbox_only" | "changed_meanwhile";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /** @description `token_not_found`: There is no such token. */
        TokenNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "token_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /** @description `last_admin_token`: The last admin token cannot be deleted. */
        LastAdminToken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "last_admin_token";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /**
         * @description `route_not_found`: There is nothing at this address.
         *
         *     `token_not_found`: There is no such token.
         */
        RouteNotFoundOrTokenNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "route_not_found" | "token_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /**
         * @description `route_not_found`: There is nothing at this address.
         *
         *     `person_not_found`: There is no such person.
         */
        RouteNotFoundOrPersonNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "route_not_found" | "person_not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /** @description `too_many_failed_logins`: 20 sign-ins failed from this address within 60 seconds; wait for Retry-After. */
        TooManyFailedLogins: {
            headers: {
                /** @description In seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "too_many_failed_logins";
                    /** @constant */
                    status?: 429;
                };
            };
        };
        /** @description `csrf`: A change from the console must come from its own pages and carry X-Bellhop-Console: 1. */
        Csrf: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "csrf";
                    /** @constant */
                    status?: 403;
                };
            };
        };
        /** @description `event_id_reused`: An event with this event_id but different content was accepted before. */
        EventIdReused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "event_id_reused";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /**
         * @description `too_many_events`: More order events arrive than can be stored; send them again after Retry-After.
         *
         *     `storage_full`: The disk of the database is full, so nothing can be stored; free some space and repeat the request, a restart is not needed.
         *
         *     `storage_read_only`: The database can only be read, so nothing can be stored; make its disk or its PostgreSQL server writable and repeat the request, a restart is not needed.
         *
         *     `storage_failing`: The disk of the database reports errors, so nothing can be stored; check the disk and the log, restart Bellhop if the errors last, and repeat the request.
         *
         *     `storage_gone`: The data folder was deleted, moved or replaced while Bellhop was using it, so nothing can be stored and this process ends; repeat the request once Bellhop runs again.
         *
         *     `storage_damaged`: A file of the database is damaged, so nothing can be stored; stop Bellhop, restore a backup (docs/operating/damaged-database.md), and repeat the request.
         *
         *     `database_unavailable`: The database does not answer; try again in a moment.
         */
        TooManyEventsOrStorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable: {
            headers: {
                /** @description In seconds. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "too_many_events" | "storage_full" | "storage_read_only" | "storage_failing" | "storage_gone" | "storage_damaged" | "database_unavailable";
                    /** @constant */
                    status?: 503;
                };
            };
        };
        /**
         * @description `changed_meanwhile`: Someone else changed this at the same time; read it again and repeat your change.
         *
         *     `import_running`: Another import into this environment is running; wait until it ends.
         */
        ChangedMeanwhileOrImportRunning: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "changed_meanwhile" | "import_running";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /**
         * @description `validation_failed`: The request does not have the expected form.
         *
         *     `import_refused`: Lines of the import have errors, so nothing was imported; correct them and repeat it.
         */
        ValidationFailedOrImportRefused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "validation_failed" | "import_refused";
                    /** @constant */
                    status?: 422;
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: {
        orderChange: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            get?: never;
            put?: never;
            /**
             * An order was created, changed or cancelled; POSTed to the midoffice's URL
             * @description Any 2xx within the time-out counts as delivered. After anything else it is sent again: by default after 30 s, 60 s, 90 s, 120 s, 150 s, 300 s, 1 hour, then every 12 hours for 7 days. Redirects are not followed. An event may arrive more than once, always with the same `webhook-id`. The examples are signed with the API key `022a2cf1-d279-02f3-9c3c-596aa09b827b`; the headers are those of the form `data`.
             */
            post: operations["orderChange"];
            delete?: never;
            options?: never;
            head?: never;
            patch?: never;
            trace?: never;
        };
    };
}
export type FieldError = components['schemas']['FieldError'];
export type Problem = components['schemas']['Problem'];
export type Activity = components['schemas']['Activity'];
export type ActivityKind = components['schemas']['ActivityKind'];
export type ActivityPage = components['schemas']['ActivityPage'];
export type AttemptFailure = components['schemas']['AttemptFailure'];
export type AttemptOutcome = components['schemas']['AttemptOutcome'];
export type AttemptWithRequest = components['schemas']['AttemptWithRequest'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditEntryPage = components['schemas']['AuditEntryPage'];
export type BodyForm = components['schemas']['BodyForm'];
export type BulkAction = components['schemas']['BulkAction'];
export type BulkChange = components['schemas']['BulkChange'];
export type BulkChanged = components['schemas']['BulkChanged'];
export type Cancellation = components['schemas']['Cancellation'];
export type Certification = components['schemas']['Certification'];
export type ConsoleSession = components['schemas']['ConsoleSession'];
export type Count = components['schemas']['Count'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryCount = components['schemas']['DeliveryCount'];
export type DeliveryFilter = components['schemas']['DeliveryFilter'];
export type DeliveryNode = components['schemas']['DeliveryNode'];
export type DeliveryNodes = components['schemas']['DeliveryNodes'];
export type DeliveryOrder = components['schemas']['DeliveryOrder'];
export type DeliveryPage = components['schemas']['DeliveryPage'];
export type DeliveryState = components['schemas']['DeliveryState'];
export type DeliveryWithAttempts = components['schemas']['DeliveryWithAttempts'];
export type EndpointName = components['schemas']['EndpointName'];
export type Environment = components['schemas']['Environment'];
export type EventOutcome = components['schemas']['EventOutcome'];
export type EventOutcomes = components['schemas']['EventOutcomes'];
export type EventType = components['schemas']['EventType'];
export type FailingMidoffice = components['schemas']['FailingMidoffice'];
export type Grant = components['schemas']['Grant'];
export type GrantInput = components['schemas']['GrantInput'];
export type GrantList = components['schemas']['GrantList'];
export type GrantWithWarnings = components['schemas']['GrantWithWarnings'];
export type ImportCounts = components['schemas']['ImportCounts'];
export type ImportReport = components['schemas']['ImportReport'];
export type Key = components['schemas']['Key'];
export type KeyChanges = components['schemas']['KeyChanges'];
export type KeyPage = components['schemas']['KeyPage'];
export type KeyWithSecret = components['schemas']['KeyWithSecret'];
export type LastAttempt = components['schemas']['LastAttempt'];
export type LastTest = components['schemas']['LastTest'];
export type LimitedKey = components['schemas']['LimitedKey'];
export type Midoffice = components['schemas']['Midoffice'];
export type MidofficeChanges = components['schemas']['MidofficeChanges'];
export type MidofficeHealth = components['schemas']['MidofficeHealth'];
export type MidofficePage = components['schemas']['MidofficePage'];
export type MidofficeWithState = components['schemas']['MidofficeWithState'];
export type NewConsoleSession = components['schemas']['NewConsoleSession'];
export type NewKey = components['schemas']['NewKey'];
export type NewMidoffice = components['schemas']['NewMidoffice'];
export type NewNote = components['schemas']['NewNote'];
export type NewPartner = components['schemas']['NewPartner'];
export type NewToken = components['schemas']['NewToken'];
export type Note = components['schemas']['Note'];
export type NotePage = components['schemas']['NotePage'];
export type Onboarding = components['schemas']['Onboarding'];
export type OnboardingStep = components['schemas']['OnboardingStep'];
export type OnboardingStepName = components['schemas']['OnboardingStepName'];
export type OrderEvent = components['schemas']['OrderEvent'];
export type OrderEventBatch = components['schemas']['OrderEventBatch'];
export type OrderEvents = components['schemas']['OrderEvents'];
export type Partner = components['schemas']['Partner'];
export type PartnerChanges = components['schemas']['PartnerChanges'];
export type PartnerPage = components['schemas']['PartnerPage'];
export type PausedMidoffice = components['schemas']['PausedMidoffice'];
export type Person = components['schemas']['Person'];
export type PersonPage = components['schemas']['PersonPage'];
export type ReceiverCertification = components['schemas']['ReceiverCertification'];
export type ReceiverCheck = components['schemas']['ReceiverCheck'];
export type ReceiverLine = components['schemas']['ReceiverLine'];
export type ReceiverToCertify = components['schemas']['ReceiverToCertify'];
export type ReceiverToCheck = components['schemas']['ReceiverToCheck'];
export type Recovered = components['schemas']['Recovered'];
export type Recovery = components['schemas']['Recovery'];
export type Role = components['schemas']['Role'];
export type Rotation = components['schemas']['Rotation'];
export type SearchHit = components['schemas']['SearchHit'];
export type SearchResult = components['schemas']['SearchResult'];
export type SentPending = components['schemas']['SentPending'];
export type SentRequest = components['schemas']['SentRequest'];
export type SignInMethods = components['schemas']['SignInMethods'];
export type Stats = components['schemas']['Stats'];
export type StatsBucket = components['schemas']['StatsBucket'];
export type StatsSpan = components['schemas']['StatsSpan'];
export type StatusClass = components['schemas']['StatusClass'];
export type Token = components['schemas']['Token'];
export type TokenPage = components['schemas']['TokenPage'];
export type TokenWithSecret = components['schemas']['TokenWithSecret'];
export type TroubledState = components['schemas']['TroubledState'];
export type Usage = components['schemas']['Usage'];
export type UsageHistory = components['schemas']['UsageHistory'];
export type UsageHistoryItem = components['schemas']['UsageHistoryItem'];
export type UsageList = components['schemas']['UsageList'];
export type UsagePeak = components['schemas']['UsagePeak'];
export type UsagePeakList = components['schemas']['UsagePeakList'];
export type UsageStep = components['schemas']['UsageStep'];
export type ResponseMalformedRequestOrMalformedJson = components['responses']['MalformedRequestOrMalformedJson'];
export type ResponseUnauthenticated = components['responses']['Unauthenticated'];
export type ResponseForbiddenOrCsrf = components['responses']['ForbiddenOrCsrf'];
export type ResponseEnvironmentNotFound = components['responses']['EnvironmentNotFound'];
export type ResponseRequestTimeout = components['responses']['RequestTimeout'];
export type ResponseBodyTooLarge = components['responses']['BodyTooLarge'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type ResponseValidationFailedOrSandboxNotOffered = components['responses']['ValidationFailedOrSandboxNotOffered'];
export type ResponseHeadersTooLarge = components['responses']['HeadersTooLarge'];
export type ResponseInternalError = components['responses']['InternalError'];
export type ResponseStorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable = components['responses']['StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable'];
export type ResponseMalformedRequest = components['responses']['MalformedRequest'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseValidationFailed = components['responses']['ValidationFailed'];
export type ResponseRouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound = components['responses']['RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound'];
export type ResponseRouteNotFoundOrEnvironmentNotFoundOrPartnerNotFoundOrMidofficeNotFound = components['responses']['RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFoundOrMidofficeNotFound'];
export type ResponseRouteNotFoundOrEnvironmentNotFoundOrKeyNotFound = components['responses']['RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound'];
export type ResponseKeyRevoked = components['responses']['KeyRevoked'];
export type ResponseKeyRevokedOrTooManyOverlaps = components['responses']['KeyRevokedOrTooManyOverlaps'];
export type ResponseKeyIdTaken = components['responses']['KeyIdTaken'];
export type ResponseCertificationRequiredOrKeyRevoked = components['responses']['CertificationRequiredOrKeyRevoked'];
export type ResponseOverviewAlwaysActiveOrValidationFailedOrApprovalRequired = components['responses']['OverviewAlwaysActiveOrValidationFailedOrApprovalRequired'];
export type ResponseRouteNotFoundOrEnvironmentNotFoundOrKeyNotFoundOrEndpointNotGranted = components['responses']['RouteNotFoundOrEnvironmentNotFoundOrKeyNotFoundOrEndpointNotGranted'];
export type ResponseKeyRevokedOrOverviewRequired = components['responses']['KeyRevokedOrOverviewRequired'];
export type ResponseEnvironmentNotFoundOrKeyNotFound = components['responses']['EnvironmentNotFoundOrKeyNotFound'];
export type ResponseValidationFailedOrReceiverRefused = components['responses']['ValidationFailedOrReceiverRefused'];
export type ResponseRouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound = components['responses']['RouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound'];
export type ResponseRouteNotFoundOrEnvironmentNotFoundOrKeyNotFoundOrMidofficeNotFound = components['responses']['RouteNotFoundOrEnvironmentNotFoundOrKeyNotFoundOrMidofficeNotFound'];
export type ResponseCountChanged = components['responses']['CountChanged'];
export type ResponseValidationFailedOrTooManyDeliveries = components['responses']['ValidationFailedOrTooManyDeliveries'];
export type ResponseRouteNotFoundOrEnvironmentNotFoundOrDeliveryNotFound = components['responses']['RouteNotFoundOrEnvironmentNotFoundOrDeliveryNotFound'];
export type ResponseNoMidoffice = components['responses']['NoMidoffice'];
export type ResponseDeliverySettled = components['responses']['DeliverySettled'];
export type ResponseDeliverySettledOrSandboxOnlyOrChangedMeanwhile = components['responses']['DeliverySettledOrSandboxOnlyOrChangedMeanwhile'];
export type ResponseTokenNotFound = components['responses']['TokenNotFound'];
export type ResponseLastAdminToken = components['responses']['LastAdminToken'];
export type ResponseRouteNotFoundOrTokenNotFound = components['responses']['RouteNotFoundOrTokenNotFound'];
export type ResponseRouteNotFoundOrPersonNotFound = components['responses']['RouteNotFoundOrPersonNotFound'];
export type ResponseTooManyFailedLogins = components['responses']['TooManyFailedLogins'];
export type ResponseCsrf = components['responses']['Csrf'];
export type ResponseEventIdReused = components['responses']['EventIdReused'];
export type ResponseTooManyEventsOrStorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable = components['responses']['TooManyEventsOrStorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable'];
export type ResponseChangedMeanwhileOrImportRunning = components['responses']['ChangedMeanwhileOrImportRunning'];
export type ResponseValidationFailedOrImportRefused = components['responses']['ValidationFailedOrImportRefused'];
export type PathItemOrderChange = components['pathItems']['orderChange'];
export type $defs = Record<string, never>;
export interface operations {
    listPartners: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description Part of the name. */
                name?: string;
                /** @description The order of the list; `-created_at` if not given. */
                sort?: "-created_at" | "created_at" | "name" | "-name";
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    createPartner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPartner"];
            };
        };
        responses: {
            /** @description It was created; the body shows it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailedOrSandboxNotOffered"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    countPartners: {
        parameters: {
            query?: {
                /** @description Part of the name. */
                name?: string;
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Count"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getPartner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    updatePartner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PartnerChanges"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFoundOrMidofficeNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getOnboarding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Onboarding"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    certifyPartner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Certification"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                partner_id?: string;
                /** @description The order of the list; `-created_at` if not given. */
                sort?: "-created_at" | "created_at" | "expires_at" | "-expires_at";
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    countKeys: {
        parameters: {
            query?: {
                partner_id?: string;
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Count"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    revokeKey: {
        parameters: {
            query?: {
                /** @description Why. Kept in the audit. */
                reason?: string;
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    updateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyChanges"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["KeyRevoked"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["KeyRevokedOrTooManyOverlaps"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description It was created; the body shows it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["KeyIdTaken"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantList"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    putGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantInput"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantWithWarnings"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["CertificationRequiredOrKeyRevoked"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["OverviewAlwaysActiveOrValidationFailedOrApprovalRequired"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    deleteGrant: {
        parameters: {
            query: {
                endpoint: components["schemas"]["EndpointName"];
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFoundOrEndpointNotGranted"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["KeyRevokedOrOverviewRequired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageList"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getKeyHistory: {
        parameters: {
            query?: {
                /** @description Hours are kept for 90 days, days for 25 months, both in UTC. `hour` if not given. */
                step?: components["schemas"]["UsageStep"];
                /** @description The hour or day of this time is the first. If not given, 7 days before `until` by hour, 90 days by day. */
                since?: string;
                /** @description Hours or days that begin at this time or later are left out. Now if not given. */
                until?: string;
                endpoint?: components["schemas"]["EndpointName"];
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageHistory"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getPartnerHistory: {
        parameters: {
            query?: {
                /** @description Hours are kept for 90 days, days for 25 months, both in UTC. `hour` if not given. */
                step?: components["schemas"]["UsageStep"];
                /** @description The hour or day of this time is the first. If not given, 7 days before `until` by hour, 90 days by day. */
                since?: string;
                /** @description Hours or days that begin at this time or later are left out. Now if not given. */
                until?: string;
                endpoint?: components["schemas"]["EndpointName"];
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageHistory"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getKeyPeaks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsagePeakList"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listMidoffices: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description Part of the name. */
                name?: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MidofficePage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    createMidoffice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMidoffice"];
            };
        };
        responses: {
            /** @description It was created; the body shows it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Midoffice"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["EnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["KeyRevoked"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailedOrReceiverRefused"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getMidoffice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MidofficeWithState"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    updateMidoffice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MidofficeChanges"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Midoffice"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFoundOrMidofficeNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["KeyRevoked"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailedOrReceiverRefused"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    sendTestEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptWithRequest"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    sendPending: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentPending"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    recoverMidoffice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Recovery"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovered"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    checkReceiver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReceiverToCheck"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiverCheck"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    certifyReceiver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReceiverToCertify"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiverCertification"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                state?: components["schemas"]["DeliveryState"];
                midoffice_id?: string;
                partner_id?: string;
                /** @description The whole order id. */
                partner_order_id?: string;
                /** @description The beginning of the order id. The list is then in descending order of the ids. */
                partner_order_id_prefix?: string;
                /** @description What happened to the order. */
                type?: components["schemas"]["EventType"];
                /** @description Why the last attempt failed. */
                failure_code?: components["schemas"]["AttemptFailure"];
                /** @description How the receiver answered the last attempt. A reply that was never finished counts as `no_answer`. */
                status_class?: components["schemas"]["StatusClass"];
                since?: string;
                until?: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    countDeliveries: {
        parameters: {
            query?: {
                state?: components["schemas"]["DeliveryState"];
                midoffice_id?: string;
                partner_id?: string;
                /** @description The whole order id. */
                partner_order_id?: string;
                /** @description The beginning of the order id. The list is then in descending order of the ids. */
                partner_order_id_prefix?: string;
                /** @description What happened to the order. */
                type?: components["schemas"]["EventType"];
                /** @description Why the last attempt failed. */
                failure_code?: components["schemas"]["AttemptFailure"];
                /** @description How the receiver answered the last attempt. A reply that was never finished counts as `no_answer`. */
                status_class?: components["schemas"]["StatusClass"];
                since?: string;
                until?: string;
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryCount"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    changeDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkChange"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkChanged"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["CountChanged"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailedOrTooManyDeliveries"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithAttempts"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrDeliveryNotFound"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrDeliveryNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["NoMidoffice"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    cancelDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Cancellation"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrDeliveryNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["DeliverySettled"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    fastForwardDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrDeliveryNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["DeliverySettledOrSandboxOnlyOrChangedMeanwhile"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listDeliveryNodes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryNodes"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listPartnerNotes: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotePage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    addPartnerNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNote"];
            };
        };
        responses: {
            /** @description It was created; the body shows it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrPartnerNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listKeyNotes: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotePage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    addKeyNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNote"];
            };
        };
        responses: {
            /** @description It was created; the body shows it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listMidofficeNotes: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotePage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    addMidofficeNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNote"];
            };
        };
        responses: {
            /** @description It was created; the body shows it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrMidofficeNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listDeliveryNotes: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotePage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrDeliveryNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    addDeliveryNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNote"];
            };
        };
        responses: {
            /** @description It was created; the body shows it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrEnvironmentNotFoundOrDeliveryNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    exportRecords: {
        parameters: {
            query?: {
                /** @description Include API keys. */
                api_keys?: "true" | "false" | "";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description Id of what was changed. */
                subject?: string;
                /** @description The name of a token or a person, the email of a person, or the whole actor as entries show it. */
                actor?: string;
                /** @description Such as `key.rotate`. */
                action?: string;
                since?: string;
                until?: string;
                /** @description The order of the list; `-at` if not given. */
                sort?: "-at" | "at";
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    countAudit: {
        parameters: {
            query?: {
                /** @description Id of what was changed. */
                subject?: string;
                /** @description The name of a token or a person, the email of a person, or the whole actor as entries show it. */
                actor?: string;
                /** @description Such as `key.rotate`. */
                action?: string;
                since?: string;
                until?: string;
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Count"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description It was created; the body shows it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenWithSecret"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    deleteToken: {
        parameters: {
            query: {
                /** @description The id of the token. */
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["TokenNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["LastAdminToken"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    deleteTokenById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrTokenNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["LastAdminToken"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    listPeople: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                limit?: number;
                /** @description The `next_cursor` of an earlier reply. */
                cursor?: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    endSessionsOfPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["RouteNotFoundOrPersonNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getStats: {
        parameters: {
            query?: {
                /** @description How far the buckets and the refused calls reach back; an hour if not given. */
                span?: components["schemas"]["StatsSpan"];
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    search: {
        parameters: {
            query: {
                /** @description An id, or part of a name. */
                q: string;
                /** @description `csv` is the same as `Accept: text/csv`. */
                format?: "json" | "csv";
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResult"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleSession"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthenticated"];
            408: components["responses"]["RequestTimeout"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewConsoleSession"];
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleSession"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["TooManyFailedLogins"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It worked; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            403: components["responses"]["Csrf"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    reportOrderEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderEvents"];
            };
        };
        responses: {
            /** @description Everything in the request is stored. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventOutcomes"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EventIdReused"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooManyEventsOrStorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    importRecords: {
        parameters: {
            query?: {
                /** @description Report what the import would do, and change nothing. */
                dry_run?: "true" | "false" | "";
                /** @description In production, for all grant lines without one that let more through than before. Recorded in the audit. */
                approval_reference?: string;
            };
            header?: never;
            path: {
                /** @description The environment whose data is meant. */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": unknown;
            };
        };
        responses: {
            /** @description It worked; the body shows the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            400: components["responses"]["MalformedRequestOrMalformedJson"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["EnvironmentNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["ChangedMeanwhileOrImportRunning"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailedOrImportRefused"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageFullOrStorageReadOnlyOrStorageFailingOrStorageGoneOrStorageDamagedOrDatabaseUnavailable"];
        };
    };
    orderChange: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same on every attempt. Characters that a header cannot hold are percent-encoded, and so is the percent sign. */
                "webhook-id": string;
                /** @description Unix seconds, of this attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and base64 of HMAC-SHA-256 over `id.timestamp.body`, keyed with the API key. Unlike the signature in the body, it covers the payload. While a key rotation overlaps, there is one for each key, separated by spaces. */
                "webhook-signature": string;
                /** @description Bellhop and its version. */
                "user-agent": string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description In the form that was chosen for the midoffice. */
        requestBody: {
            content: {
                "application/json": {
                    data: {
                        /**
                         * @description What happened to the order.
                         * @enum {string}
                         */
                        type: "created" | "updated" | "cancelled";
                        /** @description The partner's identifier of the booking. */
                        partner_order_id: string;
                        /** @description The contract's agreement number; only where the event has one. */
                        agreement_number?: string;
                        /** @description Only where the event has one. */
                        status?: string;
                    };
                    signature: {
                        /** @description HMAC-SHA-256 in lower-case hex. Key: the API key; message: the decimal timestamp followed by the token. */
                        signature: string;
                        /** @description Unix seconds. */
                        timestamp: number;
                        /** @description New for every attempt: a token that was seen before means a replay. */
                        token: string;
                    };
                } | {
                    /**
                     * @description What happened to the order.
                     * @enum {string}
                     */
                    type: "created" | "updated" | "cancelled";
                    /** @description The partner's identifier of the booking. */
                    partner_order_id: string;
                    /** @description The contract's agreement number; only where the event has one. */
                    agreement_number?: string;
                    /** @description Only where the event has one. */
                    status?: string;
                    signature: {
                        /** @description HMAC-SHA-256 in lower-case hex. Key: the API key; message: the decimal timestamp followed by the token. */
                        signature: string;
                        /** @description Unix seconds. */
                        timestamp: number;
                        /** @description New for every attempt: a token that was seen before means a replay. */
                        token: string;
                    };
                } | {
                    data: {
                        /**
                         * @description What happened to the order.
                         * @enum {string}
                         */
                        type: "created" | "updated" | "cancelled";
                        /** @description The partner's identifier of the booking. */
                        partner_order_id: string;
                        /** @description The contract's agreement number; only where the event has one. */
                        agreement_number?: string;
                        /** @description Only where the event has one. */
                        status?: string;
                    };
                    /**
                     * @description What happened to the order.
                     * @enum {string}
                     */
                    type: "created" | "updated" | "cancelled";
                    /** @description The partner's identifier of the booking. */
                    partner_order_id: string;
                    /** @description The contract's agreement number; only where the event has one. */
                    agreement_number?: string;
                    /** @description Only where the event has one. */
                    status?: string;
                    signature: {
                        /** @description HMAC-SHA-256 in lower-case hex. Key: the API key; message: the decimal timestamp followed by the token. */
                        signature: string;
                        /** @description Unix seconds. */
                        timestamp: number;
                        /** @description New for every attempt: a token that was seen before means a replay. */
                        token: string;
                    };
                };
            };
        };
        responses: {
            /** @description Delivered; it is not sent again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not delivered; it is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}

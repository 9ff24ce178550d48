
CREATE SCHEMA bellhop;
CREATE TABLE bellhop.delivery (
    seq bigint NOT NULL,
    event_id text NOT NULL,
    type text NOT NULL,
    partner_id text NOT NULL,
    partner_order_id text NOT NULL,
    agreement_number text,
    status text,
    asked_midoffice_id text,
    midoffice_id text,
    ordered integer NOT NULL,
    state text NOT NULL,
    due_at bigint,
    lease text,
    attempts_made integer NOT NULL,
    retries_used integer NOT NULL,
    accepted_at bigint NOT NULL,
    settled_at bigint,
    last_key text,
    scheduled_at bigint,
    retry_asked integer DEFAULT 0 NOT NULL
);
CREATE FUNCTION bellhop.claim_deliveries(midoffice_ids text[], free_slots integer[], now_ms bigint, lease_until_ms bigint, new_lease text) RETURNS SETOF bellhop.delivery
    LANGUAGE plpgsql
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
  begin
    perform 1 from midoffice m where m.id = any(midoffice_ids) order by m.id for no key update;
    return query
      update delivery d set lease = new_lease, due_at = lease_until_ms, retry_asked = 0
        from unnest(midoffice_ids, free_slots) as asked (midoffice_id, free)
        join midoffice m on m.id = asked.midoffice_id and m.paused = 0
        cross join lateral (
          select p.seq from delivery p
           where p.midoffice_id = m.id and p.state = 'pending' and p.due_at <= now_ms
             and (p.ordered = 0 or not exists (
               select 1 from delivery e
                where e.midoffice_id = p.midoffice_id and e.partner_order_id = p.partner_order_id
                  and e.partner_id = p.partner_id
                  and e.state = 'pending' and e.ordered = 1 and e.seq < p.seq)
               -- Nor while one is under way that was accepted later or cancelled meanwhile.
               and not exists (
               select 1 from delivery f
                where f.partner_order_id = p.partner_order_id and f.midoffice_id = p.midoffice_id
                  and f.partner_id = p.partner_id and f.lease is not null and f.due_at > now_ms))
           order by p.due_at, p.seq
           limit greatest(0, least(asked.free, m.max_in_flight - (
             select count(*) from delivery f
              where f.midoffice_id = m.id and f.lease is not null and f.due_at > now_ms)::int))
           for update skip locked
        ) picked
       where d.seq = picked.seq
      returning d.*;
  end $$;
CREATE FUNCTION bellhop.next_due(midoffice text, after_ms bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
  begin
    return (select d.due_at from delivery d
             where d.midoffice_id = midoffice and d.state = 'pending' and d.due_at > after_ms
             order by d.due_at limit 1);
  end $$;
CREATE TABLE bellhop.admission (
    seq bigint NOT NULL,
    key_id text NOT NULL,
    endpoint text NOT NULL,
    at_ms bigint NOT NULL,
    keep_until_ms bigint NOT NULL,
    restated_at_ms bigint,
    requests integer,
    span_ms bigint,
    past jsonb,
    id text,
    epoch text
);
CREATE SEQUENCE bellhop.admission_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE bellhop.admission_seq_seq OWNED BY bellhop.admission.seq;
CREATE TABLE bellhop.api_key (
    key_id text NOT NULL,
    partner_id text NOT NULL,
    label text,
    sealed_key text NOT NULL,
    digest text NOT NULL,
    previous_sealed_key text,
    previous_digest text,
    previous_until bigint,
    allowed_ips text,
    disabled integer NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    grant_set text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE bellhop.attempt (
    delivery_seq bigint NOT NULL,
    number integer NOT NULL,
    started_at bigint NOT NULL,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    status_code integer,
    reply_excerpt text,
    error text,
    signature_timestamp bigint NOT NULL,
    signature_token text NOT NULL,
    failure_code text,
    url text,
    body_form text,
    user_agent text,
    key_id text,
    key_fingerprint text
);
CREATE TABLE bellhop.audit (
    id text NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    before text,
    after text
);
CREATE SEQUENCE bellhop.delivery_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE bellhop.delivery_seq_seq OWNED BY bellhop.delivery.seq;
CREATE TABLE bellhop.grant_set (
    id text NOT NULL,
    grants text NOT NULL
);
CREATE TABLE bellhop.key_change (
    seq bigint NOT NULL,
    key_id text NOT NULL,
    at bigint NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
);
CREATE SEQUENCE bellhop.key_change_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE bellhop.key_change_seq_seq OWNED BY bellhop.key_change.seq;
CREATE TABLE bellhop.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE bellhop.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE bellhop.last_attempt (
    midoffice_id text NOT NULL,
    delivery_seq bigint NOT NULL,
    number integer NOT NULL,
    started_at bigint NOT NULL
);
CREATE TABLE bellhop.meta (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE bellhop.midoffice (
    id text NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    signing_key_id text NOT NULL,
    body_form text NOT NULL,
    delivery_order text NOT NULL,
    max_in_flight integer NOT NULL,
    paused integer NOT NULL,
    failing_since bigint,
    alerted_at bigint,
    created_at bigint NOT NULL,
    worked_key text,
    alert_claimed_at bigint
);
CREATE TABLE bellhop.minute_stat (
    minute bigint NOT NULL,
    delivered bigint NOT NULL,
    failed_attempts bigint NOT NULL,
    exhausted bigint NOT NULL
);
CREATE TABLE bellhop.partner (
    id text NOT NULL,
    name text NOT NULL,
    integration_started_on text NOT NULL,
    is_new integer NOT NULL,
    suspended integer NOT NULL,
    certified_at bigint,
    certification_reference text,
    midoffice_id text,
    created_at bigint NOT NULL
);
CREATE TABLE bellhop.session (
    digest text NOT NULL,
    token_digest text NOT NULL,
    created_at bigint NOT NULL,
    used_at bigint NOT NULL
);
CREATE TABLE bellhop.token (
    id text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    digest text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
);
ALTER TABLE ONLY bellhop.admission ALTER COLUMN seq SET DEFAULT nextval('bellhop.admission_seq_seq'::regclass);
ALTER TABLE ONLY bellhop.delivery ALTER COLUMN seq SET DEFAULT nextval('bellhop.delivery_seq_seq'::regclass);
ALTER TABLE ONLY bellhop.key_change ALTER COLUMN seq SET DEFAULT nextval('bellhop.key_change_seq_seq'::regclass);
INSERT INTO bellhop.api_key VALUES ('9322417127', 'par_019c13ec9e00040704f1942172e7', NULL, 'tQou11D5kvQSa3+MqhZutnuTTnK5JOHOJs6z5Bp1Ox9+zeauPwnnmC1buufPqnrExyF1za2RBg7ZHyeDLIWoCQ==', 'a51b0ed5bc11c55ce7d2f6ea2ddf4cd337f88b0379a2e74b8d1139675a5e8b8d', NULL, NULL, NULL, NULL, 0, NULL, NULL, 'e37605680252951b89e70c622cd81709', 1769860800000);
INSERT INTO bellhop.api_key VALUES ('7110874146', 'par_019c13ec9e00dd22c33aa0ddfd72', NULL, 'HU4F9CW4CQKPUaBRJfOYreH5/5yR/68+bk/jnuDSKUeFeBjK+bEm0knfiob1RSDGNekFXiseTxkQmaa0zxm5dA==', '889cc5687f381eb32b95756d649e8cd18d245b138ad07469b570c4c903659f4a', NULL, NULL, NULL, NULL, 0, NULL, NULL, 'e37605680252951b89e70c622cd81709', 1769860800000);
INSERT INTO bellhop.api_key VALUES ('8755945990', 'par_019c13ec9e006c66e389707d3b78', NULL, '4B2Y9urjnGAV/Ws6mlVCQfM6tny2f1c9RwLd7Xd3RHLpjG3rebgaOO8byjWliOWnfKNvhXBS4aFd6ubR06GSUA==', 'd7580437984a4807f84950e8e4697968ed9be107c35bdc84808ca56925885df5', NULL, NULL, NULL, NULL, 0, NULL, NULL, 'e37605680252951b89e70c622cd81709', 1769860800000);
INSERT INTO bellhop.api_key VALUES ('4430964990', 'par_019c13ec9e00eb38b6faa1edbd65', NULL, '4kWuf/oo2A//1ltBd4525qdXtOVRoLOZkwxNtvqqwplnMxNW2lOeQjfBYry0er/31uf0bPFCuFDnQrGM3ITSJQ==', 'b8d6cad9116aafa6d16d0c93c61d159cc8aa02b6c3b331b91f182f0b53d4e773', NULL, NULL, NULL, NULL, 0, NULL, NULL, 'e37605680252951b89e70c622cd81709', 1769860800000);
INSERT INTO bellhop.api_key VALUES ('5952324709', 'par_019c13ec9e00c3f230ebe7871ee7', NULL, 'orEtFvfIc9RWijIss4XKoIwdeJPyviEd28VIOU9LyMj4cs6NLoDrpUss6Jid4+trU2raxljXZixgOR2/cYxa8g==', 'cbd82845b3cf52c0f36365c9544ec698c06451f69cb21ccc869c84508e1e7331', NULL, NULL, NULL, NULL, 0, NULL, NULL, 'e37605680252951b89e70c622cd81709', 1769860800000);
INSERT INTO bellhop.api_key VALUES ('1256697354', 'par_019c13ec9e002c29e65ac8b42247', NULL, '0jaFc02MM8wjWt5j2Y3FrQzu9oaiNCfHYzmu/0YIcmVmfpbeLgw4sNhbIQAtr3CGgiGi2YHbGQeWP3Dbl0TrPw==', '78f885ecf016ac4a45ede5ab0c4ef2ece65e2113e715f7ec86ae8ec0f6b8696b', NULL, NULL, NULL, NULL, 0, NULL, NULL, 'e37605680252951b89e70c622cd81709', 1769860800000);
INSERT INTO bellhop.api_key VALUES ('6518780477', 'par_019c13ec9e00d828fb3bc7fcc41b', NULL, 'zXJwv7fRXBogmg7UeaORWxkX/PwPjFfM2rUrsNMU/dBaRXaM7ZqMV50Vs6Huj68YqeChS2/7HPHWURXLm53tPA==', 'ea480688192ed63bafe482c7158411b69b38bb1bc0f3e49d48255e77412ecab3', '4hgTO+kfQYlhnITXZja8Pv05R/uQJqQEkGBqYCYkTbq2gGjjUEu+JXbDZMLECmWgGzausBuktYtFTFiWt+M8OA==', '413ce22580803c3928bfdab86ece5ab7fc0aa6a8c68c8342e386128b3b377723', 1772457120000, NULL, 0, NULL, NULL, 'e37605680252951b89e70c622cd81709', 1769860800000);
INSERT INTO bellhop.attempt VALUES (2, 1, 1769860800000, 19, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769860800, 'tFGY9WU9WCpd4fGXHovJHnjuQY1mK05KOQHDkr45q61KAUw0Wj', 'status', 'http://127.0.0.1:38533/any', 'data', 'Bellhop/0.1.0', '9322417127', 'a51b0ed5bc11');
INSERT INTO bellhop.attempt VALUES (3, 1, 1769860800000, 21, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769860800, 'TstnHkeBjibc0yyM5BFoyRe4e3jDEA4rx1EuuBEUMakYCDWtP1', 'status', 'http://127.0.0.1:38533/any', 'data', 'Bellhop/0.1.0', '9322417127', 'a51b0ed5bc11');
INSERT INTO bellhop.attempt VALUES (4, 1, 1769860800000, 26, 'delivered', 200, 'Told so.', NULL, 1769860800, 'DwLWtKj2r7gidQZCGeEopn25cCmmHF9wibuW8BZ6ju3L8AEzCS', NULL, 'http://127.0.0.1:38533/any', 'data', 'Bellhop/0.1.0', '9322417127', 'a51b0ed5bc11');
INSERT INTO bellhop.attempt VALUES (5, 1, 1769860800000, 8, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769860800, '7FROpjTwMbiu24tFDrI2MLccbQEK7lq8nFzaDWfN3q9hHDOZHy', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (7, 1, 1769860800000, 10, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769860800, '8hMdsKqaQntIRIynCwqRvpbiagQOgx5kECZ9XyOBpkdXm10t4v', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (4, 2, 1769860800000, 2, 'delivered', 200, 'Told so.', NULL, 1769860800, 'OJem682iyKpcNoZKeXRqkwLwVqk3Ryec3eNUx2Ft4DZL5373f0', NULL, 'http://127.0.0.1:38533/any', 'data', 'Bellhop/0.1.0', '9322417127', 'a51b0ed5bc11');
INSERT INTO bellhop.attempt VALUES (2, 2, 1769860860000, 10, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769860860, 'oUbSBAgalcIDUVEmF44ybKqAb0M5ZvIrrKlwptVhqWw6wlByW5', 'status', 'http://127.0.0.1:38533/any', 'data', 'Bellhop/0.1.0', '9322417127', 'a51b0ed5bc11');
INSERT INTO bellhop.attempt VALUES (5, 2, 1769860860000, 17, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769860860, 'aXDIaVvG7Nq5tJZuopoBh3AtK3t8LO7w5l6Uv5PDvUotCk1ROJ', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (7, 2, 1769860860000, 19, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769860860, 'Nuf8FmoLK7pL8A1SbrFIvylNTqLoMNTYsaoP9zj90EdqsP9VWi', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (2, 3, 1769861460000, 9, 'delivered', 200, 'Told so.', NULL, 1769861460, 'umdEaSNtxQADJD58CJ4JTbdzk8nMbbD8qRyzNj0wfw6bbmNGUL', NULL, 'http://127.0.0.1:38533/any', 'data', 'Bellhop/0.1.0', '9322417127', 'a51b0ed5bc11');
INSERT INTO bellhop.attempt VALUES (5, 3, 1769861460000, 9, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769861460, 'SSteccWCbNfY7Uyxs7dzRTW7SwUg4CyQLrzutaJFti5p2emrzs', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (7, 3, 1769861460000, 10, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769861460, 'qnAkdJV8kPEcCNqU9WuKpUgXJNyJtuxVSh4kXYGwNsB8Cil8Wu', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (5, 4, 1769865060000, 4, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865060, 'ahzhtkeRKcrbQNovsEsehM6kFkzW7E7TJCsAqphhsfADdupro7', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (7, 4, 1769865060000, 3, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865060, 'ioI4TjPjS29BLaR2gpNbXPSVsrg5LSr6xZE98619OliGfDQq8j', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (12, 1, 1769865060000, 1, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865060, 'Rj8ILNaq81eIGPhK5ECEIOGGEDCq7t4kVxa5Hsmh9Ps0yFh6XF', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (12, 2, 1769865120000, 2, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865120, 'du0Th57FvSmvWN7iRixUGFzAoddWgBeurSnruKTYvW6b6BsPOa', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (13, 1, 1769865120000, 2, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865120, 'SZ0CB1aRMt5csWUHMmscrdKMeGFsj67ewHYkM0mUb8N16sJE6i', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (14, 1, 1769865120000, 2, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865120, 'hnjLoLwqeXdffDVi5IVL9cao1a6ZWlDsOynldqhzxvzvdLcmnx', 'status', 'http://127.0.0.1:38533/failing', 'flat', 'Bellhop/0.1.0', '4430964990', 'b8d6cad9116a');
INSERT INTO bellhop.attempt VALUES (15, 1, 1769865120000, 3, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865120, '5NIxaJAQ9vajfJZxGEpYkcdiXkxL89US60QYi7WVzsrgtEhVny', 'status', 'http://127.0.0.1:38533/per-order', 'data', 'Bellhop/0.1.0', '7110874146', '889cc5687f38');
INSERT INTO bellhop.attempt VALUES (18, 1, 1769865120000, 6, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865120, 'u7lzKhkmLD15rCbkfw6QsFcmjgyKuKhY1zExrHDQjRi71jHxJH', 'status', 'http://127.0.0.1:38533/per-order', 'data', 'Bellhop/0.1.0', '7110874146', '889cc5687f38');
INSERT INTO bellhop.attempt VALUES (20, 1, 1769865120000, 7, 'delivered', 200, 'Told so.', NULL, 1769865120, 'gpgoqLEVaPJnNQ6d2QD2DLm1d8bJhl62wqnbyhZYfWQiNfI6VG', NULL, 'http://127.0.0.1:38533/per-order', 'data', 'Bellhop/0.1.0', '7110874146', '889cc5687f38');
INSERT INTO bellhop.attempt VALUES (21, 1, 1769865120000, 2, 'delivered', 200, 'Told so.', NULL, 1769865120, '2JowDi5zZ3EoeEtBaY3v1aglD2Wvd3iRIowaVrkJCEpg3Mi1rN', NULL, 'http://127.0.0.1:38533/per-order', 'data', 'Bellhop/0.1.0', '7110874146', '889cc5687f38');
INSERT INTO bellhop.attempt VALUES (22, 1, 1769865120000, 2, 'delivered', 200, 'Told so.', NULL, 1769865120, 'XvcKXIpD3tmO4dsAhKdAlImv3OTPRuzw3ROPvzSucsU1jgbcU8', NULL, 'http://127.0.0.1:38533/rotating', 'data', 'Bellhop/0.1.0', '6518780477', '413ce2258080');
INSERT INTO bellhop.attempt VALUES (23, 1, 1769865120000, 1, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865120, 'PGbWaDu88ZQujOCEing00dob6PYbrSIjDcHxd3XhV4g7aHJk8m', 'status', 'http://127.0.0.1:38533/rotating', 'data', 'Bellhop/0.1.0', '6518780477', '413ce2258080');
INSERT INTO bellhop.attempt VALUES (24, 1, 1769865120000, 2, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865120, 'thfXBriALLFF5jarlSMRMtnDefIYIM2jMCJTHDfw1jKReAzHBb', 'status', 'http://127.0.0.1:38533/under-way', 'data', 'Bellhop/0.1.0', '5952324709', 'cbd82845b3cf');
INSERT INTO bellhop.attempt VALUES (1, 1, 1769860800000, 19, 'delivered', 200, 'Told so.', NULL, 1769860800, 't0anE6CfBzebG1HQlx5SHTXLUBHdC02NR4BHKBBMtlK8SsQ79Q', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO bellhop.attempt VALUES (6, 1, 1769860800000, 10, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769860800, 'd63h6bU2x5a7s8bOpT7TJEQ8WIJdtAuNGh7s1hvrVF2PEFdXuV', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO bellhop.attempt VALUES (6, 2, 1769860860000, 21, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769860860, 'smRDHsjfWzeKqReXLrbmC57Qf7rgfoVROZSuJ02ZhTiKipCwdK', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO bellhop.attempt VALUES (6, 3, 1769861460000, 9, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769861460, 'EP22rKNPx7mtg1hHqYumcdcmbE5GaqEFoCUi2vbFpy1igzJehN', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO bellhop.attempt VALUES (6, 4, 1769865060000, 3, 'failed', 500, 'Told so.', 'The receiver answered 500; only 2xx counts as delivered.', 1769865060, '285nwA0fmzexseJAuzVILC31duzkULWENXWGZVMn4GrbqZeDwN', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0015a400d6e1d022a8', 1769860800000, 'maker', 'partner.create', 'par_019c13ec9e00040704f1942172e7', NULL, '{"id":"par_019c13ec9e00040704f1942172e7","name":"any","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00167f120dbeb49fbf', 1769860800000, 'maker', 'key.create', '9322417127', NULL, '{"key_id":"9322417127","partner_id":"par_019c13ec9e00040704f1942172e7","label":null,"disabled":false,"expires_at":null,"allowed_ips":null,"previous_key_valid_until":null,"revoked_at":null,"created_at":"2026-01-31T12:00:00.000Z","endpoints":["api/b2b/v3/search/hotelsort/","api/b2b/v3/search/lookuprate/","api/b2b/v3/search/serp/hotels/","api/b2b/v3/search/hp/","api/b2b/v3/search/multicomplete/","api/b2b/v3/search/serp/region/","api/b2b/v3/search/serp/geo/","api/b2b/v3/serp/prebook/","api/b2b/v3/hotel/prebook/","api/b2b/v3/hotel/info/","api/b2b/v3/hotel/info/dump/","api/b2b/v3/hotel/info/incremental_dump/","api/b2b/v3/hotel/static/","api/b2b/v3/hotel/reviews/dump/","api/b2b/v3/hotel/incremental_reviews/dump/","api/b2b/v3/hotel/poi/dump/","api/b2b/v3/hotel/region/dump/","api/b2b/v3/hotel/order/booking/form/","api/b2b/v3/hotel/order/booking/finish/","api/b2b/v3/hotel/order/booking/finish/status/","api/b2b/v3/hotel/order/cancel/","api/b2b/v3/hotel/order/info/","api/b2b/v3/hotel/order/tickets/create/","api/b2b/v3/hotel/order/tickets/list/","api/b2b/v3/hotel/order/document/voucher/download/","api/b2b/v3/hotel/order/document/info_invoice/download/","api/b2b/v3/hotel/order/document/single_act/download/","api/b2b/v3/ordergroup/document/invoice/download/","api/b2b/v3/general/document/closing_documents/download/","api/b2b/v3/general/document/closing_documents/info/","api/b2b/v3/profiles/create/","api/b2b/v3/profiles/delete/","api/b2b/v3/profiles/disable/","api/b2b/v3/profiles/edit/","api/b2b/v3/profiles/list/","api/b2b/v3/profiles/restore/","api/b2b/v3/ordergroup/create/","api/b2b/v3/ordergroup/order/add/","api/b2b/v3/ordergroup/order/remove/","api/b2b/v3/ordergroup/disband/","api/b2b/v3/ordergroup/info/","api/b2b/v3/general/contract/data/info/","api/b2b/v3/overview/"]}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00adf7f160832b7139', 1769860800000, 'maker', 'midoffice.create', 'mid_019c13ec9e00a32448e7a642f42f', NULL, '{"id":"mid_019c13ec9e00a32448e7a642f42f","name":"any","url":"http://127.0.0.1:38533/any","signing_key_id":"9322417127","body_form":"data","delivery_order":"any","max_in_flight":16,"paused":false,"failing_since":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00338fd04ea6508cc4', 1769860800000, 'maker', 'partner.update', 'par_019c13ec9e00040704f1942172e7', '{"id":"par_019c13ec9e00040704f1942172e7","name":"any","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"id":"par_019c13ec9e00040704f1942172e7","name":"any","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":"mid_019c13ec9e00a32448e7a642f42f","created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0089d7c81cf8604c71', 1769860800000, 'maker', 'partner.create', 'par_019c13ec9e00dd22c33aa0ddfd72', NULL, '{"id":"par_019c13ec9e00dd22c33aa0ddfd72","name":"per order","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e008bd6a6aa87ba4918', 1769860800000, 'maker', 'key.create', '7110874146', NULL, '{"key_id":"7110874146","partner_id":"par_019c13ec9e00dd22c33aa0ddfd72","label":null,"disabled":false,"expires_at":null,"allowed_ips":null,"previous_key_valid_until":null,"revoked_at":null,"created_at":"2026-01-31T12:00:00.000Z","endpoints":["api/b2b/v3/search/hotelsort/","api/b2b/v3/search/lookuprate/","api/b2b/v3/search/serp/hotels/","api/b2b/v3/search/hp/","api/b2b/v3/search/multicomplete/","api/b2b/v3/search/serp/region/","api/b2b/v3/search/serp/geo/","api/b2b/v3/serp/prebook/","api/b2b/v3/hotel/prebook/","api/b2b/v3/hotel/info/","api/b2b/v3/hotel/info/dump/","api/b2b/v3/hotel/info/incremental_dump/","api/b2b/v3/hotel/static/","api/b2b/v3/hotel/reviews/dump/","api/b2b/v3/hotel/incremental_reviews/dump/","api/b2b/v3/hotel/poi/dump/","api/b2b/v3/hotel/region/dump/","api/b2b/v3/hotel/order/booking/form/","api/b2b/v3/hotel/order/booking/finish/","api/b2b/v3/hotel/order/booking/finish/status/","api/b2b/v3/hotel/order/cancel/","api/b2b/v3/hotel/order/info/","api/b2b/v3/hotel/order/tickets/create/","api/b2b/v3/hotel/order/tickets/list/","api/b2b/v3/hotel/order/document/voucher/download/","api/b2b/v3/hotel/order/document/info_invoice/download/","api/b2b/v3/hotel/order/document/single_act/download/","api/b2b/v3/ordergroup/document/invoice/download/","api/b2b/v3/general/document/closing_documents/download/","api/b2b/v3/general/document/closing_documents/info/","api/b2b/v3/profiles/create/","api/b2b/v3/profiles/delete/","api/b2b/v3/profiles/disable/","api/b2b/v3/profiles/edit/","api/b2b/v3/profiles/list/","api/b2b/v3/profiles/restore/","api/b2b/v3/ordergroup/create/","api/b2b/v3/ordergroup/order/add/","api/b2b/v3/ordergroup/order/remove/","api/b2b/v3/ordergroup/disband/","api/b2b/v3/ordergroup/info/","api/b2b/v3/general/contract/data/info/","api/b2b/v3/overview/"]}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00b5d004f8fb49c7ab', 1769860800000, 'maker', 'midoffice.create', 'mid_019c13ec9e00ce949787f3e98eb5', NULL, '{"id":"mid_019c13ec9e00ce949787f3e98eb5","name":"per order","url":"http://127.0.0.1:38533/per-order","signing_key_id":"7110874146","body_form":"data","delivery_order":"per_order","max_in_flight":16,"paused":false,"failing_since":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0006d838d0a2a6e9fb', 1769860800000, 'maker', 'partner.update', 'par_019c13ec9e00dd22c33aa0ddfd72', '{"id":"par_019c13ec9e00dd22c33aa0ddfd72","name":"per order","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"id":"par_019c13ec9e00dd22c33aa0ddfd72","name":"per order","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":"mid_019c13ec9e00ce949787f3e98eb5","created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00b0453aac10b86388', 1769860800000, 'maker', 'partner.create', 'par_019c13ec9e007b50123a317e4a61', NULL, '{"id":"par_019c13ec9e007b50123a317e4a61","name":"per order, too","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00896437bb0b58a003', 1769860800000, 'maker', 'partner.update', 'par_019c13ec9e007b50123a317e4a61', '{"id":"par_019c13ec9e007b50123a317e4a61","name":"per order, too","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"id":"par_019c13ec9e007b50123a317e4a61","name":"per order, too","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":"mid_019c13ec9e00ce949787f3e98eb5","created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e004997e973a8235db0', 1769860800000, 'maker', 'partner.create', 'par_019c13ec9e006c66e389707d3b78', NULL, '{"id":"par_019c13ec9e006c66e389707d3b78","name":"paused","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00a7dffb3cd2395fdf', 1769860800000, 'maker', 'key.create', '8755945990', NULL, '{"key_id":"8755945990","partner_id":"par_019c13ec9e006c66e389707d3b78","label":null,"disabled":false,"expires_at":null,"allowed_ips":null,"previous_key_valid_until":null,"revoked_at":null,"created_at":"2026-01-31T12:00:00.000Z","endpoints":["api/b2b/v3/search/hotelsort/","api/b2b/v3/search/lookuprate/","api/b2b/v3/search/serp/hotels/","api/b2b/v3/search/hp/","api/b2b/v3/search/multicomplete/","api/b2b/v3/search/serp/region/","api/b2b/v3/search/serp/geo/","api/b2b/v3/serp/prebook/","api/b2b/v3/hotel/prebook/","api/b2b/v3/hotel/info/","api/b2b/v3/hotel/info/dump/","api/b2b/v3/hotel/info/incremental_dump/","api/b2b/v3/hotel/static/","api/b2b/v3/hotel/reviews/dump/","api/b2b/v3/hotel/incremental_reviews/dump/","api/b2b/v3/hotel/poi/dump/","api/b2b/v3/hotel/region/dump/","api/b2b/v3/hotel/order/booking/form/","api/b2b/v3/hotel/order/booking/finish/","api/b2b/v3/hotel/order/booking/finish/status/","api/b2b/v3/hotel/order/cancel/","api/b2b/v3/hotel/order/info/","api/b2b/v3/hotel/order/tickets/create/","api/b2b/v3/hotel/order/tickets/list/","api/b2b/v3/hotel/order/document/voucher/download/","api/b2b/v3/hotel/order/document/info_invoice/download/","api/b2b/v3/hotel/order/document/single_act/download/","api/b2b/v3/ordergroup/document/invoice/download/","api/b2b/v3/general/document/closing_documents/download/","api/b2b/v3/general/document/closing_documents/info/","api/b2b/v3/profiles/create/","api/b2b/v3/profiles/delete/","api/b2b/v3/profiles/disable/","api/b2b/v3/profiles/edit/","api/b2b/v3/profiles/list/","api/b2b/v3/profiles/restore/","api/b2b/v3/ordergroup/create/","api/b2b/v3/ordergroup/order/add/","api/b2b/v3/ordergroup/order/remove/","api/b2b/v3/ordergroup/disband/","api/b2b/v3/ordergroup/info/","api/b2b/v3/general/contract/data/info/","api/b2b/v3/overview/"]}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e008c191423bdc20d47', 1769860800000, 'maker', 'midoffice.create', 'mid_019c13ec9e00e7bb4fc4ef66a4c4', NULL, '{"id":"mid_019c13ec9e00e7bb4fc4ef66a4c4","name":"paused","url":"http://127.0.0.1:38533/paused","signing_key_id":"8755945990","body_form":"data","delivery_order":"any","max_in_flight":16,"paused":false,"failing_since":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e008960a900259b24f9', 1769860800000, 'maker', 'partner.update', 'par_019c13ec9e006c66e389707d3b78', '{"id":"par_019c13ec9e006c66e389707d3b78","name":"paused","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"id":"par_019c13ec9e006c66e389707d3b78","name":"paused","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":"mid_019c13ec9e00e7bb4fc4ef66a4c4","created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0009654454dd492d68', 1769860800000, 'maker', 'partner.create', 'par_019c13ec9e00eb38b6faa1edbd65', NULL, '{"id":"par_019c13ec9e00eb38b6faa1edbd65","name":"failing","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e002e70c2ca8ba49468', 1769860800000, 'maker', 'key.create', '4430964990', NULL, '{"key_id":"4430964990","partner_id":"par_019c13ec9e00eb38b6faa1edbd65","label":null,"disabled":false,"expires_at":null,"allowed_ips":null,"previous_key_valid_until":null,"revoked_at":null,"created_at":"2026-01-31T12:00:00.000Z","endpoints":["api/b2b/v3/search/hotelsort/","api/b2b/v3/search/lookuprate/","api/b2b/v3/search/serp/hotels/","api/b2b/v3/search/hp/","api/b2b/v3/search/multicomplete/","api/b2b/v3/search/serp/region/","api/b2b/v3/search/serp/geo/","api/b2b/v3/serp/prebook/","api/b2b/v3/hotel/prebook/","api/b2b/v3/hotel/info/","api/b2b/v3/hotel/info/dump/","api/b2b/v3/hotel/info/incremental_dump/","api/b2b/v3/hotel/static/","api/b2b/v3/hotel/reviews/dump/","api/b2b/v3/hotel/incremental_reviews/dump/","api/b2b/v3/hotel/poi/dump/","api/b2b/v3/hotel/region/dump/","api/b2b/v3/hotel/order/booking/form/","api/b2b/v3/hotel/order/booking/finish/","api/b2b/v3/hotel/order/booking/finish/status/","api/b2b/v3/hotel/order/cancel/","api/b2b/v3/hotel/order/info/","api/b2b/v3/hotel/order/tickets/create/","api/b2b/v3/hotel/order/tickets/list/","api/b2b/v3/hotel/order/document/voucher/download/","api/b2b/v3/hotel/order/document/info_invoice/download/","api/b2b/v3/hotel/order/document/single_act/download/","api/b2b/v3/ordergroup/document/invoice/download/","api/b2b/v3/general/document/closing_documents/download/","api/b2b/v3/general/document/closing_documents/info/","api/b2b/v3/profiles/create/","api/b2b/v3/profiles/delete/","api/b2b/v3/profiles/disable/","api/b2b/v3/profiles/edit/","api/b2b/v3/profiles/list/","api/b2b/v3/profiles/restore/","api/b2b/v3/ordergroup/create/","api/b2b/v3/ordergroup/order/add/","api/b2b/v3/ordergroup/order/remove/","api/b2b/v3/ordergroup/disband/","api/b2b/v3/ordergroup/info/","api/b2b/v3/general/contract/data/info/","api/b2b/v3/overview/"]}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00b752a7b363fdc07c', 1769860800000, 'maker', 'midoffice.create', 'mid_019c13ec9e0059f8951de8f17b3c', NULL, '{"id":"mid_019c13ec9e0059f8951de8f17b3c","name":"failing","url":"http://127.0.0.1:38533/failing","signing_key_id":"4430964990","body_form":"flat","delivery_order":"any","max_in_flight":16,"paused":false,"failing_since":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00d15cb61da2ebbb17', 1769860800000, 'maker', 'partner.update', 'par_019c13ec9e00eb38b6faa1edbd65', '{"id":"par_019c13ec9e00eb38b6faa1edbd65","name":"failing","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"id":"par_019c13ec9e00eb38b6faa1edbd65","name":"failing","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":"mid_019c13ec9e0059f8951de8f17b3c","created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0004af7ef60002eb28', 1769860800000, 'maker', 'partner.create', 'par_019c13ec9e00d828fb3bc7fcc41b', NULL, '{"id":"par_019c13ec9e00d828fb3bc7fcc41b","name":"rotating","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e009ffd87ba20f1f34f', 1769860800000, 'maker', 'key.create', '6518780477', NULL, '{"key_id":"6518780477","partner_id":"par_019c13ec9e00d828fb3bc7fcc41b","label":null,"disabled":false,"expires_at":null,"allowed_ips":null,"previous_key_valid_until":null,"revoked_at":null,"created_at":"2026-01-31T12:00:00.000Z","endpoints":["api/b2b/v3/search/hotelsort/","api/b2b/v3/search/lookuprate/","api/b2b/v3/search/serp/hotels/","api/b2b/v3/search/hp/","api/b2b/v3/search/multicomplete/","api/b2b/v3/search/serp/region/","api/b2b/v3/search/serp/geo/","api/b2b/v3/serp/prebook/","api/b2b/v3/hotel/prebook/","api/b2b/v3/hotel/info/","api/b2b/v3/hotel/info/dump/","api/b2b/v3/hotel/info/incremental_dump/","api/b2b/v3/hotel/static/","api/b2b/v3/hotel/reviews/dump/","api/b2b/v3/hotel/incremental_reviews/dump/","api/b2b/v3/hotel/poi/dump/","api/b2b/v3/hotel/region/dump/","api/b2b/v3/hotel/order/booking/form/","api/b2b/v3/hotel/order/booking/finish/","api/b2b/v3/hotel/order/booking/finish/status/","api/b2b/v3/hotel/order/cancel/","api/b2b/v3/hotel/order/info/","api/b2b/v3/hotel/order/tickets/create/","api/b2b/v3/hotel/order/tickets/list/","api/b2b/v3/hotel/order/document/voucher/download/","api/b2b/v3/hotel/order/document/info_invoice/download/","api/b2b/v3/hotel/order/document/single_act/download/","api/b2b/v3/ordergroup/document/invoice/download/","api/b2b/v3/general/document/closing_documents/download/","api/b2b/v3/general/document/closing_documents/info/","api/b2b/v3/profiles/create/","api/b2b/v3/profiles/delete/","api/b2b/v3/profiles/disable/","api/b2b/v3/profiles/edit/","api/b2b/v3/profiles/list/","api/b2b/v3/profiles/restore/","api/b2b/v3/ordergroup/create/","api/b2b/v3/ordergroup/order/add/","api/b2b/v3/ordergroup/order/remove/","api/b2b/v3/ordergroup/disband/","api/b2b/v3/ordergroup/info/","api/b2b/v3/general/contract/data/info/","api/b2b/v3/overview/"]}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0015f53c80a6bd24f6', 1769860800000, 'maker', 'midoffice.create', 'mid_019c13ec9e00b7ca1b99661b4348', NULL, '{"id":"mid_019c13ec9e00b7ca1b99661b4348","name":"rotating","url":"http://127.0.0.1:38533/rotating","signing_key_id":"6518780477","body_form":"data","delivery_order":"any","max_in_flight":16,"paused":false,"failing_since":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00e5bf27a3237a188c', 1769860800000, 'maker', 'partner.update', 'par_019c13ec9e00d828fb3bc7fcc41b', '{"id":"par_019c13ec9e00d828fb3bc7fcc41b","name":"rotating","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"id":"par_019c13ec9e00d828fb3bc7fcc41b","name":"rotating","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":"mid_019c13ec9e00b7ca1b99661b4348","created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e000809a4fb25b24241', 1769860800000, 'maker', 'partner.create', 'par_019c13ec9e00c3f230ebe7871ee7', NULL, '{"id":"par_019c13ec9e00c3f230ebe7871ee7","name":"under way","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e006e58e186f6e41045', 1769860800000, 'maker', 'key.create', '5952324709', NULL, '{"key_id":"5952324709","partner_id":"par_019c13ec9e00c3f230ebe7871ee7","label":null,"disabled":false,"expires_at":null,"allowed_ips":null,"previous_key_valid_until":null,"revoked_at":null,"created_at":"2026-01-31T12:00:00.000Z","endpoints":["api/b2b/v3/search/hotelsort/","api/b2b/v3/search/lookuprate/","api/b2b/v3/search/serp/hotels/","api/b2b/v3/search/hp/","api/b2b/v3/search/multicomplete/","api/b2b/v3/search/serp/region/","api/b2b/v3/search/serp/geo/","api/b2b/v3/serp/prebook/","api/b2b/v3/hotel/prebook/","api/b2b/v3/hotel/info/","api/b2b/v3/hotel/info/dump/","api/b2b/v3/hotel/info/incremental_dump/","api/b2b/v3/hotel/static/","api/b2b/v3/hotel/reviews/dump/","api/b2b/v3/hotel/incremental_reviews/dump/","api/b2b/v3/hotel/poi/dump/","api/b2b/v3/hotel/region/dump/","api/b2b/v3/hotel/order/booking/form/","api/b2b/v3/hotel/order/booking/finish/","api/b2b/v3/hotel/order/booking/finish/status/","api/b2b/v3/hotel/order/cancel/","api/b2b/v3/hotel/order/info/","api/b2b/v3/hotel/order/tickets/create/","api/b2b/v3/hotel/order/tickets/list/","api/b2b/v3/hotel/order/document/voucher/download/","api/b2b/v3/hotel/order/document/info_invoice/download/","api/b2b/v3/hotel/order/document/single_act/download/","api/b2b/v3/ordergroup/document/invoice/download/","api/b2b/v3/general/document/closing_documents/download/","api/b2b/v3/general/document/closing_documents/info/","api/b2b/v3/profiles/create/","api/b2b/v3/profiles/delete/","api/b2b/v3/profiles/disable/","api/b2b/v3/profiles/edit/","api/b2b/v3/profiles/list/","api/b2b/v3/profiles/restore/","api/b2b/v3/ordergroup/create/","api/b2b/v3/ordergroup/order/add/","api/b2b/v3/ordergroup/order/remove/","api/b2b/v3/ordergroup/disband/","api/b2b/v3/ordergroup/info/","api/b2b/v3/general/contract/data/info/","api/b2b/v3/overview/"]}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00a66436638b1af46f', 1769860800000, 'maker', 'midoffice.create', 'mid_019c13ec9e000b0e139fbf179464', NULL, '{"id":"mid_019c13ec9e000b0e139fbf179464","name":"under way","url":"http://127.0.0.1:38533/under-way","signing_key_id":"5952324709","body_form":"data","delivery_order":"any","max_in_flight":16,"paused":false,"failing_since":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0005118fda3118e92d', 1769860800000, 'maker', 'partner.update', 'par_019c13ec9e00c3f230ebe7871ee7', '{"id":"par_019c13ec9e00c3f230ebe7871ee7","name":"under way","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"id":"par_019c13ec9e00c3f230ebe7871ee7","name":"under way","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":"mid_019c13ec9e000b0e139fbf179464","created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e006fb235aa981375b3', 1769860800000, 'maker', 'partner.create', 'par_019c13ec9e002c29e65ac8b42247', NULL, '{"id":"par_019c13ec9e002c29e65ac8b42247","name":"under way in order","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0035ffa3630bd6a3f2', 1769860800000, 'maker', 'key.create', '1256697354', NULL, '{"key_id":"1256697354","partner_id":"par_019c13ec9e002c29e65ac8b42247","label":null,"disabled":false,"expires_at":null,"allowed_ips":null,"previous_key_valid_until":null,"revoked_at":null,"created_at":"2026-01-31T12:00:00.000Z","endpoints":["api/b2b/v3/search/hotelsort/","api/b2b/v3/search/lookuprate/","api/b2b/v3/search/serp/hotels/","api/b2b/v3/search/hp/","api/b2b/v3/search/multicomplete/","api/b2b/v3/search/serp/region/","api/b2b/v3/search/serp/geo/","api/b2b/v3/serp/prebook/","api/b2b/v3/hotel/prebook/","api/b2b/v3/hotel/info/","api/b2b/v3/hotel/info/dump/","api/b2b/v3/hotel/info/incremental_dump/","api/b2b/v3/hotel/static/","api/b2b/v3/hotel/reviews/dump/","api/b2b/v3/hotel/incremental_reviews/dump/","api/b2b/v3/hotel/poi/dump/","api/b2b/v3/hotel/region/dump/","api/b2b/v3/hotel/order/booking/form/","api/b2b/v3/hotel/order/booking/finish/","api/b2b/v3/hotel/order/booking/finish/status/","api/b2b/v3/hotel/order/cancel/","api/b2b/v3/hotel/order/info/","api/b2b/v3/hotel/order/tickets/create/","api/b2b/v3/hotel/order/tickets/list/","api/b2b/v3/hotel/order/document/voucher/download/","api/b2b/v3/hotel/order/document/info_invoice/download/","api/b2b/v3/hotel/order/document/single_act/download/","api/b2b/v3/ordergroup/document/invoice/download/","api/b2b/v3/general/document/closing_documents/download/","api/b2b/v3/general/document/closing_documents/info/","api/b2b/v3/profiles/create/","api/b2b/v3/profiles/delete/","api/b2b/v3/profiles/disable/","api/b2b/v3/profiles/edit/","api/b2b/v3/profiles/list/","api/b2b/v3/profiles/restore/","api/b2b/v3/ordergroup/create/","api/b2b/v3/ordergroup/order/add/","api/b2b/v3/ordergroup/order/remove/","api/b2b/v3/ordergroup/disband/","api/b2b/v3/ordergroup/info/","api/b2b/v3/general/contract/data/info/","api/b2b/v3/overview/"]}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00b059319012f41635', 1769860800000, 'maker', 'midoffice.create', 'mid_019c13ec9e007bd800a407f0e490', NULL, '{"id":"mid_019c13ec9e007bd800a407f0e490","name":"under way in order","url":"http://127.0.0.1:38533/under-way-in-order","signing_key_id":"1256697354","body_form":"data","delivery_order":"per_order","max_in_flight":16,"paused":false,"failing_since":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00c5367ac50c24691a', 1769860800000, 'maker', 'partner.update', 'par_019c13ec9e002c29e65ac8b42247', '{"id":"par_019c13ec9e002c29e65ac8b42247","name":"under way in order","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"id":"par_019c13ec9e002c29e65ac8b42247","name":"under way in order","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":"mid_019c13ec9e007bd800a407f0e490","created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00f483ba3251559fe3', 1769860800000, 'maker', 'partner.create', 'par_019c13ec9e007dfcb0a4941f5a9a', NULL, '{"id":"par_019c13ec9e007dfcb0a4941f5a9a","name":"without midoffice","integration_started_on":"2025-11-01","is_new":false,"suspended":false,"certified_at":null,"certification_reference":null,"midoffice_id":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0074b288f343d5b0cb', 1769860800000, 'maker', 'midoffice.update', 'mid_019c13ec9e00e7bb4fc4ef66a4c4', '{"id":"mid_019c13ec9e00e7bb4fc4ef66a4c4","name":"paused","url":"http://127.0.0.1:38533/paused","signing_key_id":"8755945990","body_form":"data","delivery_order":"any","max_in_flight":16,"paused":false,"failing_since":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"id":"mid_019c13ec9e00e7bb4fc4ef66a4c4","name":"paused","url":"http://127.0.0.1:38533/paused","signing_key_id":"8755945990","body_form":"data","delivery_order":"any","max_in_flight":16,"paused":true,"failing_since":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e0073621ad10059c48f', 1769860800000, 'maker', 'delivery.cancel', 'del_3', '{"state":"pending"}', '{"state":"cancelled"}');
INSERT INTO bellhop.audit VALUES ('aud_019c13ec9e00522d9646912fc790', 1769860800000, 'maker', 'delivery.retry', 'del_4', '{"state":"delivered"}', '{"state":"pending"}');
INSERT INTO bellhop.audit VALUES ('aud_019c142e89000a7326d863fecd6e', 1769865120000, 'maker', 'key.rotate', '6518780477', '{"key_id":"6518780477","partner_id":"par_019c13ec9e00d828fb3bc7fcc41b","label":null,"disabled":false,"expires_at":null,"allowed_ips":null,"previous_key_valid_until":null,"revoked_at":null,"created_at":"2026-01-31T12:00:00.000Z"}', '{"key_id":"6518780477","partner_id":"par_019c13ec9e00d828fb3bc7fcc41b","label":null,"disabled":false,"expires_at":null,"allowed_ips":null,"previous_key_valid_until":"2026-03-02T13:12:00.000Z","revoked_at":null,"created_at":"2026-01-31T12:00:00.000Z"}');
INSERT INTO bellhop.audit VALUES ('aud_019c142e8900829d953649257e78', 1769865120000, 'maker', 'delivery.retry', 'del_24', '{"state":"pending"}', '{"state":"pending"}');
INSERT INTO bellhop.audit VALUES ('aud_019c142e8900c7ee5242c184b17c', 1769865120000, 'maker', 'delivery.retry', 'del_26', '{"state":"pending"}', '{"state":"pending"}');
INSERT INTO bellhop.audit VALUES ('aud_019c142e8900118b1cbe2426a803', 1769865120000, 'maker', 'delivery.cancel', 'del_27', '{"state":"pending"}', '{"state":"cancelled"}');
INSERT INTO bellhop.audit VALUES ('aud_019c142e8900ca26e00317c707fd', 1769865120000, 'maker', 'delivery.cancel', 'del_28', '{"state":"pending"}', '{"state":"cancelled"}');
INSERT INTO bellhop.audit VALUES ('aud_019c142e890031eea696687b124c', 1769865120000, 'maker', 'delivery.retry', 'del_28', '{"state":"cancelled"}', '{"state":"pending"}');
INSERT INTO bellhop.audit VALUES ('aud_019c142e9c88d2cf8eac82c2eb58', 1769865125000, 'maker', 'delivery.retry', 'del_14', '{"state":"pending"}', '{"state":"pending"}');
INSERT INTO bellhop.audit VALUES ('aud_019c142e9c88afd2b6fab808b9df', 1769865125000, 'maker', 'midoffice.recover', 'mid_019c13ec9e0059f8951de8f17b3c', NULL, '{"since":"1970-01-01T00:00:00.000Z","requeued":1}');
INSERT INTO bellhop.delivery VALUES (1, 'delivered at once', 'updated', 'par_019c13ec9e00040704f1942172e7', 'any-1', NULL, NULL, NULL, 'mid_019c13ec9e00a32448e7a642f42f', 0, 'delivered', NULL, NULL, 1, 0, 1769860800000, 1769860800000, 'a51b0ed5bc11', NULL, 0);
INSERT INTO bellhop.delivery VALUES (8, 'unrouted 1', 'updated', 'par_019c13ec9e007dfcb0a4941f5a9a', 'nowhere-1', NULL, NULL, NULL, NULL, 0, 'unrouted', NULL, NULL, 0, 0, 1769860800000, 1769860800000, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (9, 'unrouted 2', 'updated', 'par_019c13ec9e007dfcb0a4941f5a9a', 'nowhere-2', NULL, NULL, NULL, NULL, 0, 'unrouted', NULL, NULL, 0, 0, 1769860800000, 1769860800000, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (10, 'paused 1', 'updated', 'par_019c13ec9e006c66e389707d3b78', 'paused-1', NULL, NULL, NULL, 'mid_019c13ec9e00e7bb4fc4ef66a4c4', 0, 'pending', 1769860800000, NULL, 0, 0, 1769860800000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (11, 'paused 2', 'updated', 'par_019c13ec9e006c66e389707d3b78', 'paused-2', NULL, NULL, NULL, 'mid_019c13ec9e00e7bb4fc4ef66a4c4', 0, 'pending', 1769860800000, NULL, 0, 0, 1769860800000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (3, 'cancelled while it waits', 'updated', 'par_019c13ec9e00040704f1942172e7', 'any-3', NULL, NULL, NULL, 'mid_019c13ec9e00a32448e7a642f42f', 0, 'cancelled', NULL, NULL, 1, 1, 1769860800000, 1769860800000, 'a51b0ed5bc11', NULL, 0);
INSERT INTO bellhop.delivery VALUES (4, 'replayed', 'updated', 'par_019c13ec9e00040704f1942172e7', 'any-4', NULL, NULL, NULL, 'mid_019c13ec9e00a32448e7a642f42f', 0, 'delivered', NULL, NULL, 2, 0, 1769860800000, 1769860800000, 'a51b0ed5bc11', NULL, 0);
INSERT INTO bellhop.delivery VALUES (2, 'delivered at last', 'updated', 'par_019c13ec9e00040704f1942172e7', 'any-2', NULL, NULL, NULL, 'mid_019c13ec9e00a32448e7a642f42f', 0, 'delivered', NULL, NULL, 3, 2, 1769860800000, 1769861460000, 'a51b0ed5bc11', NULL, 0);
INSERT INTO bellhop.delivery VALUES (6, 'exhausted 1', 'updated', 'par_019c13ec9e00eb38b6faa1edbd65', 'failing-2', NULL, NULL, NULL, 'mid_019c13ec9e0059f8951de8f17b3c', 0, 'exhausted', NULL, NULL, 4, 3, 1769860800000, 1769865060000, 'b8d6cad9116a', NULL, 0);
INSERT INTO bellhop.delivery VALUES (7, 'exhausted 2', 'updated', 'par_019c13ec9e00eb38b6faa1edbd65', 'failing-3', NULL, NULL, NULL, 'mid_019c13ec9e0059f8951de8f17b3c', 0, 'exhausted', NULL, NULL, 4, 3, 1769860800000, 1769865060000, 'b8d6cad9116a', NULL, 0);
INSERT INTO bellhop.delivery VALUES (12, 'waits for its second retry', 'updated', 'par_019c13ec9e00eb38b6faa1edbd65', 'failing-4', NULL, NULL, NULL, 'mid_019c13ec9e0059f8951de8f17b3c', 0, 'pending', 1769865720000, NULL, 2, 2, 1769865060000, NULL, 'b8d6cad9116a', NULL, 0);
INSERT INTO bellhop.delivery VALUES (13, 'waits for its first retry', 'updated', 'par_019c13ec9e00eb38b6faa1edbd65', 'failing-5', NULL, NULL, NULL, 'mid_019c13ec9e0059f8951de8f17b3c', 0, 'pending', 1769865180000, NULL, 1, 1, 1769865120000, NULL, 'b8d6cad9116a', NULL, 0);
INSERT INTO bellhop.delivery VALUES (15, 'first of A', 'updated', 'par_019c13ec9e00dd22c33aa0ddfd72', 'A', NULL, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1, 'pending', 1769865180000, NULL, 1, 1, 1769865120000, NULL, '889cc5687f38', NULL, 0);
INSERT INTO bellhop.delivery VALUES (16, 'second of A', 'updated', 'par_019c13ec9e00dd22c33aa0ddfd72', 'A', NULL, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1, 'pending', 1769865180000, NULL, 0, 0, 1769865120000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (17, 'third of A', 'updated', 'par_019c13ec9e00dd22c33aa0ddfd72', 'A', NULL, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1, 'pending', 1769865180000, NULL, 0, 0, 1769865120000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (18, 'first of the other A', 'updated', 'par_019c13ec9e007b50123a317e4a61', 'A', NULL, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1, 'pending', 1769865180000, NULL, 1, 1, 1769865120000, NULL, '889cc5687f38', NULL, 0);
INSERT INTO bellhop.delivery VALUES (19, 'second of the other A', 'updated', 'par_019c13ec9e007b50123a317e4a61', 'A', NULL, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1, 'pending', 1769865180000, NULL, 0, 0, 1769865120000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (20, 'first of B', 'updated', 'par_019c13ec9e00dd22c33aa0ddfd72', 'B', NULL, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1, 'delivered', NULL, NULL, 1, 0, 1769865120000, 1769865120000, '889cc5687f38', NULL, 0);
INSERT INTO bellhop.delivery VALUES (21, 'second of B', 'updated', 'par_019c13ec9e00dd22c33aa0ddfd72', 'B', NULL, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1, 'delivered', NULL, NULL, 1, 0, 1769865120000, 1769865120000, '889cc5687f38', NULL, 0);
INSERT INTO bellhop.delivery VALUES (22, 'signed before the rotation', 'updated', 'par_019c13ec9e00d828fb3bc7fcc41b', 'rotating-1', NULL, NULL, NULL, 'mid_019c13ec9e00b7ca1b99661b4348', 0, 'delivered', NULL, NULL, 1, 0, 1769865120000, 1769865120000, '413ce2258080', NULL, 0);
INSERT INTO bellhop.delivery VALUES (23, 'signed with the earlier key', 'updated', 'par_019c13ec9e00d828fb3bc7fcc41b', 'rotating-2', NULL, NULL, NULL, 'mid_019c13ec9e00b7ca1b99661b4348', 0, 'pending', 1769865180000, NULL, 1, 1, 1769865120000, NULL, '413ce2258080', NULL, 0);
INSERT INTO bellhop.delivery VALUES (24, 'by hand under way', 'updated', 'par_019c13ec9e00c3f230ebe7871ee7', 'by-hand', NULL, NULL, NULL, 'mid_019c13ec9e000b0e139fbf179464', 0, 'pending', 1769865150000, '77b3c0f2dae2-21', 1, 1, 1769865120000, NULL, 'cbd82845b3cf', 1769865180000, 0);
INSERT INTO bellhop.delivery VALUES (25, 'under way', 'updated', 'par_019c13ec9e00c3f230ebe7871ee7', 'under-way', NULL, NULL, NULL, 'mid_019c13ec9e000b0e139fbf179464', 0, 'pending', 1769865150000, '77b3c0f2dae2-22', 0, 0, 1769865120000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (30, 'second behind it', 'updated', 'par_019c13ec9e002c29e65ac8b42247', 'C', NULL, NULL, NULL, 'mid_019c13ec9e007bd800a407f0e490', 1, 'pending', 1769865120000, NULL, 0, 0, 1769865120000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (29, 'first under way', 'updated', 'par_019c13ec9e002c29e65ac8b42247', 'C', NULL, NULL, NULL, 'mid_019c13ec9e007bd800a407f0e490', 1, 'pending', 1769865150000, '77b3c0f2dae2-24', 0, 0, 1769865120000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (26, 'under way and asked for', 'updated', 'par_019c13ec9e00c3f230ebe7871ee7', 'asked', NULL, NULL, NULL, 'mid_019c13ec9e000b0e139fbf179464', 0, 'pending', 1769865150000, '77b3c0f2dae2-22', 0, 0, 1769865120000, NULL, NULL, NULL, 1);
INSERT INTO bellhop.delivery VALUES (27, 'cancelled under way', 'updated', 'par_019c13ec9e00c3f230ebe7871ee7', 'cancelled', NULL, NULL, NULL, 'mid_019c13ec9e000b0e139fbf179464', 0, 'cancelled', 1769865150000, '77b3c0f2dae2-23', 0, 0, 1769865120000, 1769865120000, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (28, 'revived under way', 'updated', 'par_019c13ec9e00c3f230ebe7871ee7', 'revived', NULL, NULL, NULL, 'mid_019c13ec9e000b0e139fbf179464', 0, 'pending', 1769865150000, '77b3c0f2dae2-23', 0, 0, 1769865120000, NULL, NULL, NULL, 1);
INSERT INTO bellhop.delivery VALUES (31, 'never tried 1', 'updated', 'par_019c13ec9e00040704f1942172e7', 'any-5', NULL, NULL, NULL, 'mid_019c13ec9e00a32448e7a642f42f', 0, 'pending', 1769865125000, NULL, 0, 0, 1769865125000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (32, 'never tried 2', 'updated', 'par_019c13ec9e00040704f1942172e7', 'any-6', NULL, NULL, NULL, 'mid_019c13ec9e00a32448e7a642f42f', 0, 'pending', 1769865125000, NULL, 0, 0, 1769865125000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (33, 'fourth of A', 'updated', 'par_019c13ec9e00dd22c33aa0ddfd72', 'A', NULL, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1, 'pending', 1769865180000, NULL, 0, 0, 1769865125000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (34, 'only one of D', 'updated', 'par_019c13ec9e00dd22c33aa0ddfd72', 'D', NULL, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1, 'pending', 1769865125000, NULL, 0, 0, 1769865125000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (35, 'never signed', 'updated', 'par_019c13ec9e00d828fb3bc7fcc41b', 'rotating-3', NULL, NULL, NULL, 'mid_019c13ec9e00b7ca1b99661b4348', 0, 'pending', 1769865125000, NULL, 0, 0, 1769865125000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.delivery VALUES (14, 'by hand', 'updated', 'par_019c13ec9e00eb38b6faa1edbd65', 'failing-6', NULL, NULL, NULL, 'mid_019c13ec9e0059f8951de8f17b3c', 0, 'pending', 1769865125000, NULL, 1, 1, 1769865120000, NULL, 'b8d6cad9116a', 1769865180000, 0);
INSERT INTO bellhop.delivery VALUES (5, 'recovered', 'updated', 'par_019c13ec9e00eb38b6faa1edbd65', 'failing-1', NULL, NULL, NULL, 'mid_019c13ec9e0059f8951de8f17b3c', 0, 'pending', 1769865125000, NULL, 4, 0, 1769860800000, NULL, NULL, NULL, 0);
INSERT INTO bellhop.grant_set VALUES ('e37605680252951b89e70c622cd81709', '[{"endpoint":"api/b2b/v3/search/hotelsort/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":10},{"endpoint":"api/b2b/v3/search/lookuprate/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":10},{"endpoint":"api/b2b/v3/search/serp/hotels/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":150,"seconds_number":60},{"endpoint":"api/b2b/v3/search/hp/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":10,"seconds_number":60},{"endpoint":"api/b2b/v3/search/multicomplete/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/search/serp/region/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":10,"seconds_number":60},{"endpoint":"api/b2b/v3/search/serp/geo/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":10,"seconds_number":60},{"endpoint":"api/b2b/v3/serp/prebook/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":10},{"endpoint":"api/b2b/v3/hotel/prebook/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/info/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/info/dump/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400},{"endpoint":"api/b2b/v3/hotel/info/incremental_dump/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400},{"endpoint":"api/b2b/v3/hotel/static/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400},{"endpoint":"api/b2b/v3/hotel/reviews/dump/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400},{"endpoint":"api/b2b/v3/hotel/incremental_reviews/dump/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400},{"endpoint":"api/b2b/v3/hotel/poi/dump/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400},{"endpoint":"api/b2b/v3/hotel/region/dump/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400},{"endpoint":"api/b2b/v3/hotel/order/booking/form/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/order/booking/finish/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/order/booking/finish/status/","is_active":true,"is_debug_mode":false,"is_limited":false,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/order/cancel/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/order/info/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/order/tickets/create/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/order/tickets/list/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/order/document/voucher/download/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/order/document/info_invoice/download/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/hotel/order/document/single_act/download/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/ordergroup/document/invoice/download/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/general/document/closing_documents/download/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400},{"endpoint":"api/b2b/v3/general/document/closing_documents/info/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400},{"endpoint":"api/b2b/v3/profiles/create/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/profiles/delete/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/profiles/disable/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/profiles/edit/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/profiles/list/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/profiles/restore/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/ordergroup/create/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/ordergroup/order/add/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/ordergroup/order/remove/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/ordergroup/disband/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/ordergroup/info/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/general/contract/data/info/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":30,"seconds_number":60},{"endpoint":"api/b2b/v3/overview/","is_active":true,"is_debug_mode":false,"is_limited":true,"requests_number":100,"seconds_number":86400}]');
INSERT INTO bellhop.key_change VALUES (1, 'mid_019c13ec9e00a32448e7a642f42f', 1769860800000, '733');
INSERT INTO bellhop.key_change VALUES (2, 'mid_019c13ec9e00ce949787f3e98eb5', 1769860800000, '737');
INSERT INTO bellhop.key_change VALUES (3, 'mid_019c13ec9e00e7bb4fc4ef66a4c4', 1769860800000, '743');
INSERT INTO bellhop.key_change VALUES (4, 'mid_019c13ec9e0059f8951de8f17b3c', 1769860800000, '747');
INSERT INTO bellhop.key_change VALUES (5, 'mid_019c13ec9e00b7ca1b99661b4348', 1769860800000, '751');
INSERT INTO bellhop.key_change VALUES (6, 'mid_019c13ec9e000b0e139fbf179464', 1769860800000, '755');
INSERT INTO bellhop.key_change VALUES (7, 'mid_019c13ec9e007bd800a407f0e490', 1769860800000, '759');
INSERT INTO bellhop.key_change VALUES (8, 'mid_019c13ec9e00e7bb4fc4ef66a4c4', 1769860800000, '762');
INSERT INTO bellhop.key_change VALUES (9, '6518780477', 1769865120000, '836');
INSERT INTO bellhop.kysely_migration VALUES ('0001-partner-api', '2026-11-15T17:46:04.658Z');
INSERT INTO bellhop.kysely_migration VALUES ('0002-order-webhooks', '2026-11-15T17:46:04.683Z');
INSERT INTO bellhop.kysely_migration VALUES ('0003-console', '2026-11-15T17:46:04.693Z');
INSERT INTO bellhop.kysely_migration VALUES ('0004-restated-admissions', '2026-11-15T17:46:04.695Z');
INSERT INTO bellhop.kysely_migration VALUES ('0005-attempt-facts', '2026-11-15T17:46:04.698Z');
INSERT INTO bellhop.kysely_migration VALUES ('0006-delivery-rules', '2026-11-15T17:46:04.703Z');
INSERT INTO bellhop.kysely_migration VALUES ('0007-admission-windows', '2026-11-15T17:46:04.705Z');
INSERT INTO bellhop.kysely_migration_lock VALUES ('migration_lock', 0);
INSERT INTO bellhop.last_attempt VALUES ('mid_019c13ec9e00a32448e7a642f42f', 2, 3, 1769861460000);
INSERT INTO bellhop.last_attempt VALUES ('mid_019c13ec9e0059f8951de8f17b3c', 12, 1, 1769865060000);
INSERT INTO bellhop.meta VALUES ('environment', 'production');
INSERT INTO bellhop.meta VALUES ('master_key_proof', 'KYeXCg7Ee+St80maqW/f3wvr4IQG+q0dWgMrHixJE4+fAQ==');
INSERT INTO bellhop.midoffice VALUES ('mid_019c13ec9e007bd800a407f0e490', 'under way in order', 'http://127.0.0.1:38533/under-way-in-order', '1256697354', 'data', 'per_order', 16, 0, NULL, NULL, 1769860800000, NULL, NULL);
INSERT INTO bellhop.midoffice VALUES ('mid_019c13ec9e00e7bb4fc4ef66a4c4', 'paused', 'http://127.0.0.1:38533/paused', '8755945990', 'data', 'any', 16, 1, NULL, NULL, 1769860800000, NULL, NULL);
INSERT INTO bellhop.midoffice VALUES ('mid_019c13ec9e00a32448e7a642f42f', 'any', 'http://127.0.0.1:38533/any', '9322417127', 'data', 'any', 16, 0, NULL, NULL, 1769860800000, 'a51b0ed5bc11', NULL);
INSERT INTO bellhop.midoffice VALUES ('mid_019c13ec9e0059f8951de8f17b3c', 'failing', 'http://127.0.0.1:38533/failing', '4430964990', 'flat', 'any', 16, 0, 1769860800000, 1769865060000, 1769860800000, NULL, NULL);
INSERT INTO bellhop.midoffice VALUES ('mid_019c13ec9e00ce949787f3e98eb5', 'per order', 'http://127.0.0.1:38533/per-order', '7110874146', 'data', 'per_order', 16, 0, NULL, NULL, 1769860800000, '889cc5687f38', NULL);
INSERT INTO bellhop.midoffice VALUES ('mid_019c13ec9e00b7ca1b99661b4348', 'rotating', 'http://127.0.0.1:38533/rotating', '6518780477', 'data', 'any', 16, 0, 1769865120000, NULL, 1769860800000, '413ce2258080', NULL);
INSERT INTO bellhop.midoffice VALUES ('mid_019c13ec9e000b0e139fbf179464', 'under way', 'http://127.0.0.1:38533/under-way', '5952324709', 'data', 'any', 16, 0, 1769865120000, NULL, 1769860800000, NULL, NULL);
INSERT INTO bellhop.minute_stat VALUES (1769860800000, 3, 5, 0);
INSERT INTO bellhop.minute_stat VALUES (1769860860000, 0, 4, 0);
INSERT INTO bellhop.minute_stat VALUES (1769861460000, 1, 3, 0);
INSERT INTO bellhop.minute_stat VALUES (1769865060000, 0, 4, 3);
INSERT INTO bellhop.partner VALUES ('par_019c13ec9e00040704f1942172e7', 'any', '2025-11-01', 0, 0, NULL, NULL, 'mid_019c13ec9e00a32448e7a642f42f', 1769860800000);
INSERT INTO bellhop.partner VALUES ('par_019c13ec9e00dd22c33aa0ddfd72', 'per order', '2025-11-01', 0, 0, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1769860800000);
INSERT INTO bellhop.partner VALUES ('par_019c13ec9e007b50123a317e4a61', 'per order, too', '2025-11-01', 0, 0, NULL, NULL, 'mid_019c13ec9e00ce949787f3e98eb5', 1769860800000);
INSERT INTO bellhop.partner VALUES ('par_019c13ec9e006c66e389707d3b78', 'paused', '2025-11-01', 0, 0, NULL, NULL, 'mid_019c13ec9e00e7bb4fc4ef66a4c4', 1769860800000);
INSERT INTO bellhop.partner VALUES ('par_019c13ec9e00eb38b6faa1edbd65', 'failing', '2025-11-01', 0, 0, NULL, NULL, 'mid_019c13ec9e0059f8951de8f17b3c', 1769860800000);
INSERT INTO bellhop.partner VALUES ('par_019c13ec9e00d828fb3bc7fcc41b', 'rotating', '2025-11-01', 0, 0, NULL, NULL, 'mid_019c13ec9e00b7ca1b99661b4348', 1769860800000);
INSERT INTO bellhop.partner VALUES ('par_019c13ec9e00c3f230ebe7871ee7', 'under way', '2025-11-01', 0, 0, NULL, NULL, 'mid_019c13ec9e000b0e139fbf179464', 1769860800000);
INSERT INTO bellhop.partner VALUES ('par_019c13ec9e002c29e65ac8b42247', 'under way in order', '2025-11-01', 0, 0, NULL, NULL, 'mid_019c13ec9e007bd800a407f0e490', 1769860800000);
INSERT INTO bellhop.partner VALUES ('par_019c13ec9e007dfcb0a4941f5a9a', 'without midoffice', '2025-11-01', 0, 0, NULL, NULL, NULL, 1769860800000);
SELECT pg_catalog.setval('bellhop.admission_seq_seq', 1, false);
SELECT pg_catalog.setval('bellhop.delivery_seq_seq', 37, true);
SELECT pg_catalog.setval('bellhop.key_change_seq_seq', 9, true);
ALTER TABLE ONLY bellhop.admission
    ADD CONSTRAINT admission_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY bellhop.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY bellhop.attempt
    ADD CONSTRAINT attempt_key PRIMARY KEY (delivery_seq, number);
ALTER TABLE ONLY bellhop.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bellhop.delivery
    ADD CONSTRAINT delivery_event_id_key UNIQUE (event_id);
ALTER TABLE ONLY bellhop.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY bellhop.grant_set
    ADD CONSTRAINT grant_set_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bellhop.key_change
    ADD CONSTRAINT key_change_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY bellhop.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bellhop.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY bellhop.last_attempt
    ADD CONSTRAINT last_attempt_pkey PRIMARY KEY (midoffice_id);
ALTER TABLE ONLY bellhop.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (name);
ALTER TABLE ONLY bellhop.midoffice
    ADD CONSTRAINT midoffice_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bellhop.minute_stat
    ADD CONSTRAINT minute_stat_pkey PRIMARY KEY (minute);
ALTER TABLE ONLY bellhop.partner
    ADD CONSTRAINT partner_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bellhop.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY bellhop.token
    ADD CONSTRAINT token_digest_key UNIQUE (digest);
ALTER TABLE ONLY bellhop.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (id);
CREATE INDEX admission_by_end ON bellhop.admission USING btree (keep_until_ms);
CREATE INDEX api_key_by_partner ON bellhop.api_key USING btree (partner_id, key_id);
CREATE INDEX api_key_by_time ON bellhop.api_key USING btree (created_at, key_id);
CREATE INDEX audit_by_subject ON bellhop.audit USING btree (subject, id);
CREATE INDEX audit_by_time ON bellhop.audit USING btree (at, id);
CREATE INDEX delivery_by_midoffice ON bellhop.delivery USING btree (midoffice_id, seq);
CREATE INDEX delivery_by_order ON bellhop.delivery USING btree (partner_order_id, seq);
CREATE INDEX delivery_by_partner ON bellhop.delivery USING btree (partner_id, seq);
CREATE INDEX delivery_by_time ON bellhop.delivery USING btree (accepted_at, seq);
CREATE INDEX delivery_due ON bellhop.delivery USING btree (midoffice_id, due_at, seq) WHERE (state = 'pending'::text);
CREATE INDEX delivery_given_up ON bellhop.delivery USING btree (state, midoffice_id, seq) WHERE (state = ANY (ARRAY['exhausted'::text, 'cancelled'::text]));
CREATE INDEX delivery_in_flight ON bellhop.delivery USING btree (midoffice_id) WHERE (lease IS NOT NULL);
CREATE INDEX delivery_in_order ON bellhop.delivery USING btree (midoffice_id, partner_order_id, seq) WHERE ((state = 'pending'::text) AND (ordered = 1));
CREATE INDEX delivery_pending ON bellhop.delivery USING btree (seq) WHERE (state = 'pending'::text);
CREATE INDEX delivery_settled ON bellhop.delivery USING btree (settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX delivery_unrouted ON bellhop.delivery USING btree (partner_id, seq) WHERE (state = 'unrouted'::text);
CREATE INDEX key_change_by_xid ON bellhop.key_change USING btree (xid);
CREATE INDEX partner_by_time ON bellhop.partner USING btree (created_at, id, name);
ALTER TABLE ONLY bellhop.api_key
    ADD CONSTRAINT api_key_grant_set_fkey FOREIGN KEY (grant_set) REFERENCES bellhop.grant_set(id);
ALTER TABLE ONLY bellhop.api_key
    ADD CONSTRAINT api_key_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES bellhop.partner(id);
ALTER TABLE ONLY bellhop.midoffice
    ADD CONSTRAINT midoffice_signing_key_id_fkey FOREIGN KEY (signing_key_id) REFERENCES bellhop.api_key(key_id);

/** The partners whose webhooks go to a midoffice. */
import { Link } from '@tanstack/react-router';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import rowStyles from '../../ui/lists/Rows.module.css';
import { Empty } from '../../ui/page/Empty.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { PartnerBadges } from '../../widgets/badges.tsx';
import { Total } from '../../widgets/Total.tsx';

const POLL_MS = 30_000;
/** By name. The others are in the list that the total leads to. */
const SHOWN = 10;

export function PartnersOfMidoffice({ id }: { id: string }) {
  const { queries, links } = useEnvironment();
  const partners = useLiveQuery(queries.partnersOf(id, SHOWN), POLL_MS);
  return (
    <Section
      title="Partners"
      aside={
        <Link {...links.partnersOf(id)}>
          <Total source={queries.partnersCount({ midoffice_id: id })} what="partner" />
        </Link>
      }
    >
      <Loaded query={partners}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No partner uses it.">Choose it on the page of a partner.</Empty>
          ) : (
            <ul className={rowStyles.rows}>
              {items.map((partner) => (
                <li key={partner.id} className={rowStyles.row}>
                  <Link className={rowStyles.main} {...links.partner(partner.id)}>
                    {partner.name}
                  </Link>
                  {(partner.suspended || !partner.certified_at) && (
                    <div className={rowStyles.side}>
                      <PartnerBadges partner={partner} />
                    </div>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

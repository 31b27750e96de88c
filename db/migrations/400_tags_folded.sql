-- A tag is the same whatever its width and whichever i of Turkish it has: src/text/fold.ts. Accents still tell tags apart. Tags that
-- become the same are merged into the one that is written so already, or into the oldest.
create temporary table folded_tags on commit drop as
with written as (
  select id, name, (
    select normalize(regexp_replace(translate(normalize(string_agg(
        case when letter collate "C" between U&'\FF01' and U&'\FFEF' then normalize(letter, NFKC) else letter end, '' order by place), NFC),
      'ı', 'i'), U&'i\0307+', 'i', 'g'), NFC)
    from regexp_split_to_table(name, '') with ordinality as letters (letter, place)) as folded
  from tags
)
select id, name, folded, first_value(id) over (partition by folded order by (name <> folded), id) as kept from written;

-- A question that has several of them has one, where the first of them was. Triggers count.
insert into question_tags (question_id, tag_id, position)
select used.question_id, tag.kept, min(used.position)
from question_tags as used join folded_tags as tag on tag.id = used.tag_id and tag.id <> tag.kept
group by used.question_id, tag.kept order by used.question_id, tag.kept
on conflict (question_id, tag_id) do update set position = least(question_tags.position, excluded.position);
delete from question_tags using folded_tags as tag where tag.id = question_tags.tag_id and tag.id <> tag.kept;

insert into tag_follows (tag_id, person_id, followed_at)
select tag.kept, follow.person_id, min(follow.followed_at)
from tag_follows as follow join folded_tags as tag on tag.id = follow.tag_id and tag.id <> tag.kept
group by tag.kept, follow.person_id
on conflict (tag_id, person_id) do nothing;

delete from tags using folded_tags as tag where tags.id = tag.id and tag.id <> tag.kept;
update tags set name = tag.folded from folded_tags as tag where tags.id = tag.kept and tag.id = tag.kept and tags.name <> tag.folded;

// Box2D 3 for the benchmark: its WebAssembly build of npm. Its objects are freed by hand: those that live long, and those that
// answers are.
import { FLAG_BULLETS, FLAG_SLEEP, isStatic } from './scene.mjs';

// Above any speed of the scenes.
const SPEED_MAX = 1e6;
// How many this build has room for.
const WORLDS_MAX = 128;

export const settings = [
	'4 sub-steps, as its samples have; warm starting and continuous collision with walls as by default',
	'bullets flagged as such; restitution threshold 0; no limit of speeds or spins that bites',
	'one worker; 128-bit SIMD; 128 worlds at most, compiled in',
];

export async function engineMake(library) {
	const b2 = await library.default();
	const using = (object, use) => {
		const result = use(object);
		object.delete();
		return result;
	};
	const vector = (x, y, use) => using(new b2.b2Vec2(x, y), use);
	const surfaceOf = (from, density) => {
		const def = b2.b2DefaultShapeDef();
		def.density = density;
		using(b2.b2DefaultSurfaceMaterial(), (material) => {
			material.restitution = from.restitution;
			material.friction = from.friction;
			def.material = material;
		});
		return def;
	};
	const wallAdd = (ground, s) => using(surfaceOf(s, 0), (surface) => using(new b2.b2Segment(), (shape) => {
		vector(s.x1, s.y1, (v) => { shape.point1 = v; });
		vector(s.x2, s.y2, (v) => { shape.point2 = v; });
		b2.b2CreateSegmentShape(ground, surface, shape);
	}));
	const circleAdd = (world, c, bullet) => using(b2.b2DefaultBodyDef(), (def) => {
		def.type = isStatic(c) ? b2.b2BodyType.b2_staticBody : b2.b2BodyType.b2_dynamicBody;
		vector(c.x, c.y, (v) => { def.position = v; });
		vector(c.vx, c.vy, (v) => { def.linearVelocity = v; });
		def.isBullet = bullet;
		def.allowFastRotation = true;
		const body = b2.b2CreateBody(world, def);
		const density = isStatic(c) ? 0 : c.mass / (Math.PI * c.radius * c.radius);
		using(surfaceOf(c, density), (surface) => using(new b2.b2Circle(), (shape) => {
			shape.radius = c.radius;
			b2.b2CreateCircleShape(body, surface, shape);
		}));
		return body;
	});
	return {
		note(scene) {
			if (scene.worlds.length > WORLDS_MAX)
				throw new Error(`it has room for ${WORLDS_MAX} worlds`);
			return null;
		},
		create(scene, from) {
			const world = using(b2.b2DefaultWorldDef(), (def) => {
				vector(scene.gravity.x, scene.gravity.y, (v) => { def.gravity = v; });
				def.restitutionThreshold = 0;
				def.maximumLinearSpeed = SPEED_MAX;
				def.enableSleep = (scene.flags & FLAG_SLEEP) !== 0;
				return b2.b2CreateWorld(def);
			});
			const ground = using(b2.b2DefaultBodyDef(), (def) => b2.b2CreateBody(world, def));
			for (const s of from.segments)
				wallAdd(ground, s);
			const bodies = from.circles.map((c) => circleAdd(world, c, (scene.flags & FLAG_BULLETS) !== 0));
			return { world, bodies, dt: scene.dt };
		},
		step(own) {
			b2.b2World_Step(own.world, own.dt, 4);
		},
		steer(own, velocities) {
			velocities.forEach((to, i) => vector(to.vx, to.vy, (v) => b2.b2Body_SetLinearVelocity(own.bodies[i], v)));
		},
		states(own, out, at) {
			for (const body of own.bodies) {
				using(b2.b2Body_GetPosition(body), (p) => {
					out[at++] = p.x;
					out[at++] = p.y;
				});
				using(b2.b2Body_GetLinearVelocity(body), (v) => {
					out[at++] = v.x;
					out[at++] = v.y;
				});
			}
			return at;
		},
		destroy(own) {
			b2.b2DestroyWorld(own.world);
		},
	};
}

// Rapier for the benchmark: its WebAssembly builds, plain and SIMD.
import { FLAG_BULLETS, FLAG_SLEEP, isStatic } from './scene.mjs';

// From 0.21 on no body is faster than so many length units a second; 0.19 has no such limit.
const SPEED_MAX = 400;
// In length units: circles smaller than this are lost in the tolerances. The same rule as for Box2D.
const RADIUS_LEAST = 0.025;

export const settings = [
	'4 solver iterations and one CCD sub-step as by default; CCD on for bullets',
	'length unit 1, or as much more as lifts its limit of 400 length units/s (Rapier 0.21) over the scene\'s speeds, unless that makes ' +
		'circles smaller than 0.025 length units',
	'restitution and friction mixed by maximum (all alike)',
	'a restore makes a world of bytes; the same calls keep a state and return to it',
];

function extent(scene) {
	let speed = 0, radius = Infinity;
	for (const world of scene.worlds) {
		for (const c of world.circles) {
			speed = Math.max(speed, Math.hypot(c.vx, c.vy));
			radius = Math.min(radius, c.radius);
		}
	}
	return { speed, radius };
}

// Whether this build has the limit: by trying.
function isLimited(RAPIER) {
	const world = new RAPIER.World({ x: 0, y: 0 });
	const body = world.createRigidBody(RAPIER.RigidBodyDesc.dynamic().setLinvel(4 * SPEED_MAX, 0));
	world.createCollider(RAPIER.ColliderDesc.ball(1), body);
	world.step();
	const limited = body.linvel().x < 2 * SPEED_MAX;
	world.free();
	return limited;
}

export async function engineMake(RAPIER) {
	await RAPIER.init();
	const limited = isLimited(RAPIER);
	let unit = 1;
	const mix = RAPIER.CoefficientCombineRule.Max;
	const dull = (collider, from) => collider.setRestitution(from.restitution).setFriction(from.friction)
		.setRestitutionCombineRule(mix).setFrictionCombineRule(mix);
	return {
		// What of the settings cannot hold for this scene, or null. Called once before the scene's first world.
		note(scene) {
			const { speed, radius } = extent(scene), needed = 1.05 * speed / SPEED_MAX;
			unit = 1;
			if (!limited || needed <= 1)
				return null;
			if (radius / needed < RADIUS_LEAST)
				return `cut to its limit of ${SPEED_MAX} units/s: these circles are too small for a larger length unit`;
			unit = needed;
			return `length unit ${unit.toPrecision(3)}`;
		},
		create(scene, from) {
			const world = new RAPIER.World(scene.gravity);
			world.integrationParameters.dt = scene.dt;
			world.lengthUnit = unit;
			for (const s of from.segments)
				world.createCollider(dull(RAPIER.ColliderDesc.segment({ x: s.x1, y: s.y1 }, { x: s.x2, y: s.y2 }), s));
			const bodies = from.circles.map((c) => {
				if (isStatic(c)) {
					const fixed = world.createRigidBody(RAPIER.RigidBodyDesc.fixed().setTranslation(c.x, c.y));
					world.createCollider(dull(RAPIER.ColliderDesc.ball(c.radius), c), fixed);
					return fixed;
				}
				const body = world.createRigidBody(RAPIER.RigidBodyDesc.dynamic().setTranslation(c.x, c.y).setLinvel(c.vx, c.vy)
					.setCcdEnabled((scene.flags & FLAG_BULLETS) !== 0).setCanSleep((scene.flags & FLAG_SLEEP) !== 0));
				world.createCollider(dull(RAPIER.ColliderDesc.ball(c.radius).setMass(c.mass), c), body);
				return body;
			});
			return { world, bodies };
		},
		step(own) {
			own.world.step();
		},
		steer(own, velocities) {
			velocities.forEach((to, i) => own.bodies[i].setLinvel({ x: to.vx, y: to.vy }, true));
		},
		snapshot(own) {
			own.bytes = own.world.takeSnapshot();
		},
		// Makes another world; its bodies have the handles of before.
		restore(own) {
			own.world.free();
			own.world = RAPIER.World.restoreSnapshot(own.bytes);
			own.bodies = own.bodies.map((body) => own.world.getRigidBody(body.handle));
		},
		states(own, out, at) {
			for (const body of own.bodies) {
				const p = body.translation(), v = body.linvel();
				out[at++] = p.x;
				out[at++] = p.y;
				out[at++] = v.x;
				out[at++] = v.y;
			}
			return at;
		},
		destroy(own) {
			own.world.free();
		},
	};
}
